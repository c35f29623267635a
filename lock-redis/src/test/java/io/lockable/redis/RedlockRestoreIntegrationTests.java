package io.lockable.redis;

import java.time.Duration;

import io.lockable.redis.script.LuaScript;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Restorations of a lock on one master: late ones, copies, and those beside other owners.
 */
class RedlockRestoreIntegrationTests {

	private static final String LEASE = "60000";

	private static final String MISSING = "-1";

	private final RedisTestServer server = RedisServers.shared();

	private final String key = Instance.newKey();

	@Test
	void lostLockIsRestoredForTheRestOfTheLease() {
		assertThat(extend("x", 1, LEASE)).isEqualTo(MISSING);
		assertThat(restore("x", 7, 1)).isEqualTo("1");
		assertThat(holder()).isEqualTo("x");
		assertThat(Long.parseLong(this.server.call("PTTL", this.key))).isBetween(1L, Long.parseLong(LEASE));
		assertThat(Long.parseLong(extend("x", 2, LEASE))).isPositive();
	}

	@Test
	void restorationAfterTheReleaseLeavesNothing() {
		extend("x", 1, LEASE);
		assertThat(release("x")).isEqualTo("0");
		assertThat(restore("x", 7, 1)).isEqualTo("0");
		assertThat(holder()).isEqualTo("(nil)");
	}

	@Test
	void extensionAfterTheReleaseFindsNothingToRestore() {
		release("x");
		assertThat(extend("x", 1, LEASE)).isEqualTo("0");
		assertThat(restore("x", 7, 1)).isEqualTo("0");
		assertThat(holder()).isEqualTo("(nil)");
	}

	@Test
	void extensionAfterTheReleaseOfAHeldLockFindsNothingToRestore() {
		acquire("x", 1);
		assertThat(release("x")).isEqualTo("9");
		assertThat(extend("x", 2, LEASE)).isEqualTo("0");
		assertThat(restore("x", 7, 2)).isEqualTo("0");
		assertThat(holder()).isEqualTo("(nil)");
	}

	@Test
	void copyAfterTheReleaseLeavesNothing() {
		extend("x", 1, LEASE);
		assertThat(restore("x", 7, 1)).isEqualTo("1");
		assertThat(release("x")).isEqualTo("9");
		assertThat(restore("x", 7, 1)).isEqualTo("0");
		assertThat(holder()).isEqualTo("(nil)");
	}

	@Test
	void restorationAfterTheEndOfTheLeaseLeavesNothing() {
		extend("x", 1, "50");
		await().pollDelay(Duration.ofMillis(51)).until(() -> this.server.call("GET", tag("outcome")).equals("(nil)"));
		assertThat(restore("x", 7, 1)).isEqualTo("0");
		assertThat(holder()).isEqualTo("(nil)");
	}

	@Test
	void restorationOfAnOlderExtensionChangesNothing() {
		extend("x", 1, LEASE);
		extend("x", 2, LEASE);
		assertThat(restore("x", 7, 1)).isEqualTo("0");
		assertThat(holder()).isEqualTo("(nil)");
	}

	@Test
	void lockOfAnotherOwnerIsNeverTouched() {
		extend("x", 1, LEASE);
		acquire("another", 1);
		assertThat(restore("x", 7, 1)).isEqualTo("0");
		assertThat(extend("x", 2, LEASE)).isEqualTo("0");
		assertThat(release("x")).isEqualTo("0");
		assertThat(holder()).isEqualTo("another");
		assertThat(release("another")).isEqualTo("9");
		assertThat(restore("x", 7, 1)).isEqualTo("0");
		assertThat(holder()).isEqualTo("(nil)");
	}

	@Test
	void lockOfAnotherClientIsNeverTouched() {
		extend("x", 1, LEASE);
		this.server.call("SET", this.key, "a competitor");
		assertThat(restore("x", 7, 1)).isEqualTo("0");
		assertThat(holder()).isEqualTo("a competitor");
		assertThat(this.server.call("PTTL", this.key)).isEqualTo("-1");
	}

	@Test
	void tokensAfterARestorationFollowTheHoldersToken() {
		long ahead = (System.currentTimeMillis() + Duration.ofDays(1).toMillis()) * 1000;
		extend("x", 1, LEASE);
		assertThat(restore("x", ahead, 1)).isEqualTo("1");
		assertThat(extend("x", 2, LEASE)).isEqualTo(Long.toString(ahead));
		release("x");
		String token = acquire("another", 1).lines().toList().get(1);
		assertThat(Long.parseLong(token)).isGreaterThan(ahead);
	}

	@Test
	void releaseOfAnEarlierQuestionLeavesARestoredLockAlone() {
		extend("x", 5, LEASE);
		restore("x", 7, 5);
		assertThat(run("redlock_release", "x", "9", "4")).isEqualTo("0");
		assertThat(holder()).isEqualTo("x");
	}

	@Test
	void lateReleaseOfAnEarlierQuestionFreesNothing() {
		acquire("x", 1);
		acquire("x", 2);
		assertThat(run("redlock_release", "x", "9", "1")).isEqualTo("0");
		assertThat(holder()).isEqualTo("x");
		assertThat(run("redlock_release", "x", "9", "2")).isEqualTo("9");
		assertThat(holder()).isEqualTo("(nil)");
	}

	/**
	 * A late acquisition that failed was not a part of the lock that the holder releases.
	 */
	@Test
	void releaseDoesNotCountWhatTheReleaseOfAFailedAcquisitionHasFreed() {
		acquire("x", 1);
		assertThat(run("redlock_release", "x", "0", "1")).isEqualTo("0");
		assertThat(holder()).isEqualTo("(nil)");
		assertThat(release("x")).isEqualTo("0");
	}

	@Test
	void companionOfAnotherTypeDoesNotEndAnExtension() {
		acquire("x", 1);
		this.server.call("DEL", tag("fence"));
		this.server.call("RPUSH", tag("fence"), "foreign");
		assertThat(Long.parseLong(extend("x", 2, LEASE))).isPositive();
	}

	private String acquire(String owner, long number) {
		return run("redlock_acquire", owner, LEASE, Long.toString(number));
	}

	private String extend(String owner, long number, String lease) {
		return run("redlock_extend", owner, lease, Long.toString(number));
	}

	private String restore(String owner, long token, long number) {
		return run("redlock_restore", owner, Long.toString(token), Long.toString(number));
	}

	private String release(String owner) {
		return run("redlock_release", owner, "9", Long.toString(Long.MAX_VALUE));
	}

	private String run(String script, String... arguments) {
		String[] command = new String[6 + arguments.length];
		System.arraycopy(
				new String[] { "EVAL", LuaScript.ofList(script).source(), "3", this.key, tag("fence"), tag("outcome") },
				0, command, 0, 6);
		System.arraycopy(arguments, 0, command, 6, arguments.length);
		return this.server.call(command);
	}

	private String holder() {
		return this.server.call("GET", this.key);
	}

	private String tag(String companion) {
		return "{" + this.key + "}:" + companion;
	}

}
