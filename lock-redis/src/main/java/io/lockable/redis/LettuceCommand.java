package io.lockable.redis;

import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;

/**
 * A command that knows whether it was sent more than once.
 *
 * <p>
 * Lettuce sends what was not answered again when it has reconnected, to whichever server
 * is the master then. A {@code WAIT} that comes on a new connection covers nothing that
 * the old one wrote: its answer would be a lie.
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

		boolean isSentOnce() {
			return this.command.sent.get() == 1;
		}

	}

}
