package io.lockable.redis;

import java.time.Duration;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.ProcessFaults;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The examples of {@code docs/testing.md} for failure paths.
 */
@Tag("extended")
@Tag("servers")
class FailurePathExamplesIntegrationTests {

	private final RedisTestServer server = RedisServers.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private final Instance instance = Instance.start(RedisClients.LETTUCE, this.proxy.host(), this.proxy.port(),
			(builder) -> builder.commandTimeout(Duration.ofSeconds(1)));

	private final LockOptions options = LockOptions.defaults().withLease(Duration.ofSeconds(2));

	private final DistributedLock lock = this.instance.get("order:42", this.options);

	private int work;

	@AfterEach
	void close() {
		this.proxy.heal();
		this.instance.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void holderLearnsThatItsLeaseIsOverWhileTheNetworkIsSilent() {
		// tag::stall[]
		Lease lease = this.lock.tryAcquire().orElseThrow();
		this.proxy.stall();
		assertThat(lease.lost()).succeedsWithin(Duration.ofSeconds(10));
		assertThat(lease.isHeld()).isFalse();
		this.proxy.resume();
		// end::stall[]
	}

	@Test
	void lockWhoseReplyIsLostIsNotOrphaned() {
		// tag::reply[]
		this.proxy.closeBeforeReply((request) -> request.contains("order:42"));
		try {
			this.lock.run(this::doWork);
		}
		catch (LockException ex) {
			assertThat(this.work).isZero();
		}
		await().untilAsserted(() -> assertThat(this.lock.isLocked()).isFalse());
		// end::reply[]
	}

	@Test
	void lockOfAFrozenInstanceIsFreeWhenItsLeaseIsOver() throws Exception {
		try (ChildJvm jvm = ChildJvm.start(LockHolder.class, RedisClients.LETTUCE.name(), this.server.host(),
				Integer.toString(this.server.port()), "order:42", "2000")) {
			jvm.awaitReport(Duration.ofSeconds(60));
			Process other = jvm.process();
			// tag::freeze[]
			try (ProcessFaults faults = new ProcessFaults()) {
				faults.freeze(other);
				assertThat(this.lock.tryAcquire(Duration.ofSeconds(10))).isPresent();
			}
			// end::freeze[]
		}
	}

	private void doWork() {
		this.work++;
	}

}
