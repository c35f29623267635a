package io.lockable.redis.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lockable.redis.script.ScriptCall;
import io.netty.buffer.ByteBuf;

/**
 * A command that counts its transmissions. It completes with the values of the reply: one
 * integer or text, or a list of integers.
 *
 * <p>
 * After a reconnection, Lettuce sends each unanswered command again, to the current
 * master. The answer to the second copy may mislead. A {@code WAIT} on a new connection
 * covers no write of the old one. A release finds no lock if its first copy has freed it.
 */
final class LettuceCommand extends AsyncCommand<byte[], byte[], List<Object>> {

	private final AtomicInteger sent = new AtomicInteger();

	private final byte[] encoded;

	private LettuceCommand(CommandType type, byte[][] words, CommandArgs<byte[], byte[]> arguments, Values output) {
		super(new Command<>(type, output, arguments));
		this.encoded = encode(words);
	}

	/**
	 * Creates a command.
	 * @param words the name and the arguments
	 * @return the command
	 */
	static LettuceCommand of(byte[][] words) {
		return new LettuceCommand(CommandType.valueOf(new String(words[0], StandardCharsets.US_ASCII)), words,
				arguments().addValues(Arrays.asList(words).subList(1, words.length)), new Values());
	}

	/**
	 * Creates the command that runs a script. Copies that a server refused, such as
	 * redirected ones on a cluster, do not count as sent.
	 * @param call the script
	 * @param bySource whether to send the source instead of the digest
	 * @return the command
	 */
	static LettuceCommand ofScript(ScriptCall<?> call, boolean bySource) {
		Values output = new Values();
		// A cluster routes by the first key. Traces show it and the arguments.
		LettuceCommand command = new LettuceCommand(bySource ? CommandType.EVAL : CommandType.EVALSHA,
				call.command(bySource), arguments().addKey(call.keys()[0]).addValues(call.arguments()), output);
		output.refused = command.sent::decrementAndGet;
		return command;
	}

	private static CommandArgs<byte[], byte[]> arguments() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE);
	}

	/**
	 * Encodes a command into one array. Lettuce writes byte by byte, which is slow in
	 * code that is not compiled yet.
	 */
	private static byte[] encode(byte[][] words) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
		writeHead('*', words.length, bytes);
		for (byte[] word : words) {
			writeHead('$', word.length, bytes);
			writeLine(word, bytes);
		}
		return bytes.toByteArray();
	}

	private static void writeHead(char type, int number, ByteArrayOutputStream bytes) {
		bytes.write(type);
		writeLine(Integer.toString(number).getBytes(StandardCharsets.US_ASCII), bytes);
	}

	private static void writeLine(byte[] line, ByteArrayOutputStream bytes) {
		bytes.writeBytes(line);
		bytes.write('\r');
		bytes.write('\n');
	}

	@Override
	public void encode(ByteBuf buffer) {
		this.sent.incrementAndGet();
		buffer.writeBytes(this.encoded);
	}

	/**
	 * Returns whether the answer belongs to the only copy that a server may have
	 * executed.
	 * @return whether it was sent once, apart from refused copies of a script
	 */
	boolean isSentOnce() {
		return this.sent.get() <= 1;
	}

	/**
	 * Returns whether servers have refused all copies of a script.
	 * @return whether no copy was executed
	 */
	boolean isRefused() {
		return this.sent.get() <= 0;
	}

	private static final class Values extends CommandOutput<byte[], byte[], List<Object>> {

		private Runnable refused = () -> {
		};

		Values() {
			super(ByteArrayCodec.INSTANCE, new ArrayList<>(5));
		}

		/**
		 * Resets the output: a part of an answer may have arrived before a reconnection.
		 */
		@Override
		public void multi(int count) {
			this.output.clear();
		}

		@Override
		public void set(long integer) {
			this.output.add(integer);
		}

		@Override
		public void set(ByteBuffer bytes) {
			this.output.add(ByteArrayCodec.INSTANCE.decodeValue(bytes));
		}

		@Override
		public void setError(ByteBuffer error) {
			super.setError(error);
			this.refused.run();
		}

	}

}
