package io.lockable.redis.blocking;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ThreadedScriptRunner}.
 */
class ThreadedScriptRunnerTests {

	@Test
	void whateverIsThrownFailsTheResult() {
		ThreadedScriptRunner runner = new ThreadedScriptRunner(new Throwing(), "test");
		try {
			CompletionStage<Long> result = runner.run(LuaScript.ofInteger("redlock_settle"), new byte[1][],
					new byte[0][], (answer) -> answer.get(0));
			assertThat(result.toCompletableFuture()).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withRootCauseInstanceOf(NoClassDefFoundError.class);
		}
		finally {
			runner.close();
		}
	}

	private static final class Throwing implements ScriptRunner {

		@Override
		public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
				Function<List<Long>, T> answer) {
			throw new NoClassDefFoundError("gone");
		}

		@Override
		public boolean isBlocking() {
			return true;
		}

		@Override
		public SlotRule slots() {
			return new SlotRule(true);
		}

		@Override
		public Object server(byte[] key) {
			return this;
		}

		@Override
		public void close() {
			// Nothing to close.
		}

	}

}
