package io.lockable.redis.client;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that commands are encoded as Lettuce encodes them.
 */
@Tag("any-jdk")
class LettuceCommandTests {

	private static final byte[][] KEYS = ScriptArguments.bytes("order:42", "{order:42}:fence");

	private static final byte[][] ARGUMENTS = IntStream.of(0, 1, 9, 10, 11, 99, 100, 1234, 100_000)
		.mapToObj("\u00e9"::repeat)
		.map(ScriptArguments::bytes)
		.toArray(byte[][]::new);

	@Test
	void scriptIsEncodedAsLettuceDoes() {
		LuaScript script = LuaScript.ofList("release");
		ScriptCall<List<Long>> call = new ScriptCall<>(script, KEYS, ARGUMENTS, Function.identity(),
				new CompletableFuture<>());
		assertThat(encoded(LettuceCommand.ofScript(call, false)))
			.isEqualTo(expected(CommandType.EVALSHA, script.digest()));
		assertThat(encoded(LettuceCommand.ofScript(call, true))).isEqualTo(expected(CommandType.EVAL, script.source()));
	}

	@Test
	void copyIsEncodedAgain() {
		LettuceCommand command = LettuceCommand.of(ScriptArguments.bytes("WAIT", "1", "100"));
		String first = encoded(command);
		assertThat(command.isSentOnce()).isTrue();
		assertThat(encoded(command)).isEqualTo(first).isEqualTo("*3\r\n$4\r\nWAIT\r\n$1\r\n1\r\n$3\r\n100\r\n");
		assertThat(command.isSentOnce()).isFalse();
	}

	private static String expected(CommandType type, String script) {
		return encoded(new Command<>(type, new StatusOutput<>(ByteArrayCodec.INSTANCE),
				new CommandArgs<>(ByteArrayCodec.INSTANCE).add(ScriptArguments.bytes(script))
					.add(KEYS.length)
					.addKeys(KEYS)
					.addValues(ARGUMENTS)));
	}

	private static String encoded(RedisCommand<?, ?, ?> command) {
		ByteBuf buffer = Unpooled.buffer();
		command.encode(buffer);
		return buffer.toString(StandardCharsets.ISO_8859_1);
	}

}
