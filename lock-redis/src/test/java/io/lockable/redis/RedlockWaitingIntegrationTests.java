package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.redis.RedlockServers.RedlockInstance;
import io.lockable.test.redis.CommandLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The poll rate of waiters for a lock on several masters.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class RedlockWaitingIntegrationTests {

	private static final Duration WAIT = Duration.ofSeconds(3);

	/**
	 * The back-off grows to between 40 and 80 ms. Before, it is at most 5, 10, 20 and 40
	 * ms, and at least half of that.
	 */
	private static final int MAX_LOOKS = (int) (WAIT.toMillis() / 40) + 5;

	private final RedlockServers servers = RedlockServers.start(3);

	private final RedlockInstance holder;

	private final RedlockInstance waiter;

	private final Crew crew = new Crew();

	private final String key = Instance.newKey();

	RedlockWaitingIntegrationTests(RedisClients client) {
		this.holder = this.servers.instance(client, Duration.ofMillis(500));
		this.waiter = this.servers.instance(client, Duration.ofMillis(500));
	}

	@AfterEach
	void close() {
		this.crew.close();
		this.waiter.close();
		this.holder.close();
		this.servers.close();
	}

	@Test
	void waiterAsksNoMoreOftenThanItsBackOff() throws Exception {
		try (Lease held = this.holder.engine().get(this.key).tryAcquire().orElseThrow();
				CommandLog log = CommandLog.start(this.servers.get(0))) {
			assertThat(this.waiter.engine().get(this.key).tryAcquire(WAIT)).isEmpty();
			assertThat(log.read()).hasSizeBetween(10, MAX_LOOKS + renewals());
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void manyWaitersOfOneInstanceAskAsOne() throws Exception {
		try (Lease held = this.holder.engine().get(this.key).tryAcquire().orElseThrow();
				CommandLog log = CommandLog.start(this.servers.get(0))) {
			List<Future<Boolean>> waiting = List.of(waiting(), waiting(), waiting(), waiting());
			for (Future<Boolean> each : waiting) {
				assertThat(each.get(30, TimeUnit.SECONDS)).isTrue();
			}
			// The first waiter times out with the others, which then poll once more.
			assertThat(log.read()).hasSizeBetween(10, MAX_LOOKS + renewals() + waiting.size());
			assertThat(held.isHeld()).isTrue();
		}
	}

	private Future<Boolean> waiting() {
		return this.crew.start(() -> this.waiter.engine().get(this.key).tryAcquire(WAIT).isEmpty());
	}

	private static int renewals() {
		return 2;
	}

	@Test
	void waiterThatFailsDoesNotAskMoreOften() {
		try (Lease held = this.holder.engine().get(this.key).tryAcquire().orElseThrow();
				CommandLog log = CommandLog.start(this.servers.get(0))) {
			Future<Boolean> waiting = waiting();
			this.servers.get(1).pause();
			this.servers.get(2).pause();
			try {
				waiting.get(30, TimeUnit.SECONDS);
			}
			catch (Exception ex) {
				assertThat(ex).hasCauseInstanceOf(LockException.class);
			}
			this.servers.get(1).resume();
			this.servers.get(2).resume();
			// The holder's renewal is retried every 100 ms. Each time, the waiter
			// releases a partial acquisition.
			assertThat(log.read()).hasSizeBetween(2, 2 * MAX_LOOKS + (int) (WAIT.toMillis() / 100));
			assertThat(held.key()).isEqualTo(this.key);
		}
	}

}
