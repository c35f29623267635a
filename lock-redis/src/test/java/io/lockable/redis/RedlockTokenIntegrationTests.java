package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.redis.RedlockServers.RedlockInstance;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Fencing tokens on several masters always grow.
 */
@Tag("extended")
@Tag("any-jdk")
class RedlockTokenIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final RedlockServers servers = RedlockServers.start(3);

	private final String key = Instance.newKey();

	private RedlockInstance instance;

	private int acquisitions;

	@BeforeEach
	void start() {
		this.instance = this.servers.instance(RedisClients.LETTUCE, Duration.ofMillis(250));
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.servers.close();
	}

	@Test
	void tokensGrowWhicheverMinorityIsDownAlthoughTheClocksOfTheMastersDisagree() {
		Random random = new Random(7);
		long ahead = letClocksDisagree();
		long last = acquire(LEASE).lastToken();
		assertThat(last).isGreaterThan(ahead);
		for (int i = 0; i < 100; i++) {
			RedisTestServer down = this.servers.get(random.nextInt(3));
			down.pause();
			Granted granted = acquire(LEASE);
			assertThat(granted.firstToken()).isGreaterThan(last);
			last = granted.lastToken();
			down.resume();
		}
	}

	@Test
	void tokenAheadOfTheClockIsKeptUntilTheClockHasPassedIt() {
		long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
		Duration ahead = Duration.ofDays(1);
		this.servers.get(0)
			.call("SET", tokenKey(), Long.toString(now + TimeUnit.MILLISECONDS.toMicros(ahead.toMillis())));
		acquire(LEASE);
		List<Long> kept = this.servers.all()
			.stream()
			.map((server) -> Long.parseLong(server.call("PTTL", tokenKey())))
			.toList();
		assertThat(kept).filteredOn((millis) -> millis > ahead.toMillis()).hasSizeGreaterThanOrEqualTo(2);
	}

	/**
	 * Stores tokens as if the clock of the first master were a day ahead, and that of the
	 * second one half a day.
	 * @return the token that is a day ahead
	 */
	private long letClocksDisagree() {
		long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
		long day = TimeUnit.DAYS.toMicros(1);
		this.servers.get(0).call("SET", tokenKey(), Long.toString(now + day));
		this.servers.get(1).call("SET", tokenKey(), Long.toString(now + day / 2));
		return now + day;
	}

	private String tokenKey() {
		return "{" + this.key + "}:fence";
	}

	private Granted acquire(Duration lease) {
		String owner = "owner" + this.acquisitions++;
		// A resumed master holds the lock of the previous owner until its release. On a
		// busy machine, it may not have answered yet when the next master is paused.
		Acquisition acquisition = await().pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.ignoreExceptionsMatching((failure) -> failure.getCause() instanceof LockStoreException)
			.until(() -> answer(this.instance.store().acquire(this.key, owner, lease)), Granted.class::isInstance);
		answer(this.instance.store().release(this.key, owner).exceptionally((failure) -> false));
		return (Granted) acquisition;
	}

	private static <T> T answer(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
	}

}
