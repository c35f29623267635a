package io.lockable.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;

/**
 * A command that counts how often it was sent.
 *
 * <p>
 * After a reconnection, Lettuce sends each unanswered command again, to the server that
 * is the master then. The answer of the second copy may mislead: a {@code WAIT} on a new
 * connection covers nothing that the old one wrote, and a release finds nothing where its
 * first copy has freed the lock.
 *
 * @param <T> what it answers
 */
final class LettuceCommand<T> extends Command<byte[], byte[], T> {

	private final AtomicInteger sent = new AtomicInteger();

	private LettuceCommand(ProtocolKeyword type, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> arguments) {
		super(type, output, arguments);
	}

	static <T> Sending<T> of(ProtocolKeyword type, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> arguments) {
		LettuceCommand<T> command = new LettuceCommand<>(type, output, arguments);
		return new Sending<>(command, new AsyncCommand<>(command));
	}

	/**
	 * Makes the command that runs a script.
	 * @param script the script
	 * @param bySource whether to send the source, or only the digest
	 * @param keys the keys
	 * @param arguments the arguments
	 * @return the command
	 */
	static Sending<List<Long>> ofScript(LuaScript script, boolean bySource, byte[][] keys, byte[][] arguments) {
		Integers output = new Integers();
		Sending<List<Long>> sending = of(bySource ? CommandType.EVAL : CommandType.EVALSHA, output,
				arguments().add(LockKeys.bytes(bySource ? script.source() : script.digest()))
					.add(keys.length)
					.addKeys(keys)
					.addValues(arguments));
		output.refused = sending.command().sent::decrementAndGet;
		return sending;
	}

	static CommandArgs<byte[], byte[]> arguments() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE);
	}

	@Override
	public void encode(ByteBuf buffer) {
		this.sent.incrementAndGet();
		super.encode(buffer);
	}

	/**
	 * A command on its way.
	 *
	 * @param command the command
	 * @param answer the same with its answer
	 * @param <T> what it answers
	 */
	record Sending<T>(LettuceCommand<T> command, AsyncCommand<byte[], byte[], T> answer) {

		/**
		 * Returns whether the answer is that of the only copy that a server may have
		 * executed.
		 * @return whether it was sent once, besides copies that were refused
		 */
		boolean isSentOnce() {
			return this.command.sent.get() <= 1;
		}

		/**
		 * Returns whether servers have refused all copies.
		 * @return whether none was executed
		 */
		boolean isRefused() {
			return this.command.sent.get() <= 0;
		}

	}

	/**
	 * Reads an integer, or a list of integers.
	 */
	private static final class Integers extends CommandOutput<byte[], byte[], List<Long>> {

		private Runnable refused = () -> {
		};

		Integers() {
			super(ByteArrayCodec.INSTANCE, new ArrayList<>(5));
		}

		/**
		 * Starts anew: half of an answer may have come before a reconnection.
		 */
		@Override
		public void multi(int count) {
			this.output.clear();
		}

		@Override
		public void set(long integer) {
			this.output.add(integer);
		}

		/**
		 * A copy that a server has refused is none: a cluster redirects a command so.
		 */
		@Override
		public void setError(ByteBuffer error) {
			super.setError(error);
			this.refused.run();
		}

	}

}
