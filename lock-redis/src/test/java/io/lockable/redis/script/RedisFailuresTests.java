package io.lockable.redis.script;

import java.util.concurrent.CompletionException;

import io.lockable.LockStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisFailures}.
 */
class RedisFailuresTests {

	@ParameterizedTest
	@ValueSource(strings = { "READONLY You can't write against a read only replica.",
			"READONLY You can't write against a read only replica. script: a1b2, on @user_script:8.",
			"ERR Error running script (call to f_a1b2): @user_script:8: @user_script: 8: -READONLY You can't write "
					+ "against a read only replica.",
			"ERR Error running script (call to f_a1b2): @user_script:8: @user_script: 8: -OOM command not allowed when "
					+ "used memory > 'maxmemory'.",
			"LOADING Redis is loading the dataset in memory", "Cannot determine a partition for slot 42.",
			"BUSY Redis is busy running a script." })
	void errorOfAServerThatCannotServeRightNowIsRetryable(String error) {
		LockStoreException translated = RedisFailures
			.translate(new CompletionException(new IllegalStateException("Wrapped", new RuntimeException(error))));
		assertThat(translated.isRetryable()).isTrue();
		assertThat(translated).hasMessageContaining(error);
	}

	@ParameterizedTest
	@ValueSource(strings = { "WRONGTYPE Operation against a key holding the wrong kind of value",
			"ERR Error running script (call to f_a1b2): @user_script:8: @user_script: 8: -WRONGTYPE Operation against a "
					+ "key holding the wrong kind of value",
			"BUSYGROUP Consumer Group name already exists", "the READONLY flag" })
	void otherErrorIsNotRetryable(String error) {
		assertThat(RedisFailures.translate(new RuntimeException(error)).isRetryable()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "NOPERM this user has no permissions to run the 'evalsha' command",
			"NOPERM ACL failure in script: User a has no permissions to run the 'get' command",
			"ERR ACL failure in script: User a has no permissions to run the 'get' command script: on @user_script:1.",
			"ERR The user executing the script can't run this command or subcommand script: a1b2, on @user_script:1.",
			"ERR Error running script (call to f_a1b2): @user_script:8: The user executing the script can't access at "
					+ "least one of the keys" })
	void forbiddenCommandIsToldAsSuch(String error) {
		LockStoreException translated = RedisFailures.translate(new IllegalStateException(new RuntimeException(error)));
		assertThat(translated).hasMessageStartingWith("NOPERM").hasMessageContaining(error);
		assertThat(translated.isRetryable()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "NOPERM this user has no permissions to access one of the keys used as arguments",
			"NOPERM No permissions to access a key",
			"NOPERM ACL failure in script: No permissions to access a key script: a1b2, on @user_script:8.",
			"NOPERM User a has no permissions to access the 'disLock:1' key",
			"ERR Error running script (call to f_a1b2): @user_script:8: The user executing the script can't access at "
					+ "least one of the keys mentioned in the command" })
	void forbiddenKeyIsReportedWithTheRuleToAdd(String error) {
		assertThat(RedisFailures.translate(new RuntimeException(error))).hasMessageStartingWith("NOPERM")
			.hasMessageContaining(error)
			.hasMessageEndingWith(". Cure: ACL SETUSER <user> ~<prefix>* ~{<prefix>*}:*");
	}

	@Test
	void answerOfOneOfSeveralServersIsFound() {
		RuntimeException unreachable = new RuntimeException("No server of the cluster can be asked");
		unreachable.addSuppressed(new RuntimeException("Connection refused"));
		unreachable.addSuppressed(new RuntimeException("NOPERM this user has no permissions"));
		assertThat(RedisFailures.translate(new RuntimeException(unreachable)))
			.hasMessageEndingWith("NOPERM this user has no permissions");
	}

	@Test
	void unknownScriptIsFoundAmongTheCauses() {
		RuntimeException noScript = new RuntimeException("NOSCRIPT No matching script. Please use EVAL.");
		assertThat(RedisFailures.isUnknownScript(new RuntimeException("Wrapped", noScript))).isTrue();
		assertThat(RedisFailures.isUnknownScript(new RuntimeException("ERR unknown"))).isFalse();
	}

}
