package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server without free memory ({@code maxmemory} with {@code noeviction}): held locks
 * stay held, and can be released and handed over.
 */
@Tag("servers")
@Timeout(60)
class FullServerIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(20);

	private final RedisTestServer server = RedisServers.start();

	private final Instance one = Instance.start(RedisClients.LETTUCE, this.server);

	private final RedisLockStore store = new RedisLockStore(this.one.template());

	private final RecordedGrants inbox = new RecordedGrants();

	@AfterEach
	void close() {
		this.store.close();
		this.one.close();
		this.server.close();
	}

	@Test
	void leasesOfReadersAndOfAWriterAreRenewed() throws Exception {
		LockOptions renewed = LockOptions.defaults().withLease(Duration.ofMillis(4500));
		DistributedReadWriteLock readers = this.one.engine().getReadWriteLock("a", renewed);
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			leases.add(readers.readLock().acquire());
		}
		leases.add(this.one.get("b", renewed).acquire());
		fill();
		await().atMost(Duration.ofSeconds(20))
			.during(Duration.ofSeconds(5))
			.until(() -> leases.stream().allMatch(Lease::isHeld));
	}

	@Test
	void shareIsExtendedAlone() throws Exception {
		assertThat(answer(this.store.acquireShared("a", "reader", LEASE, 3))).isInstanceOf(Granted.class);
		fill();
		assertThat(answer(this.store.extend("a", "reader", LEASE.multipliedBy(2)))).isTrue();
		assertThat(answer(this.store.look("a")).holders())
			.allSatisfy((holder) -> assertThat(holder.remaining()).isGreaterThan(LEASE));
	}

	@Test
	void releasePassesTheLockOn() throws Exception {
		queue("a", "holder", "next");
		fill();
		assertThat(answer(this.store.release("a", "holder"))).isTrue();
		assertThat(this.server.call("GET", "a")).isEqualTo("next");
		assertThat(answer(this.store.enqueue("a", "next", LEASE, false))).isInstanceOf(Granted.class);
	}

	@Test
	void releaseOfAShareAdmitsTheNext() throws Exception {
		answer(this.store.subscribe(this.inbox));
		assertThat(answer(this.store.acquireShared("a", "holder", LEASE, 1))).isInstanceOf(Granted.class);
		assertThat(answer(this.store.enqueueShared("a", "next", LEASE, 1))).isInstanceOf(Refused.class);
		fill();
		assertThat(answer(this.store.release("a", "holder"))).isTrue();
		assertThat(answer(this.store.enqueueShared("a", "next", LEASE, 1))).isInstanceOf(Granted.class);
	}

	@Test
	void waiterLeavesTheQueue() throws Exception {
		queue("a", "holder", "next");
		fill();
		assertThat(answer(this.store.withdraw("a", "next"))).isFalse();
		assertThat(this.server.call("EXISTS", "{a}:queue")).isEqualTo("0");
	}

	@Test
	void waiterStaysInTheQueueAsItAsksAgain() throws Exception {
		queue("a", "holder", "next");
		fill();
		assertThat(answer(this.store.enqueue("a", "next", LEASE, false))).isInstanceOf(Refused.class);
	}

	@Test
	void turnIsGivenToAnotherInstance() throws Exception {
		queue("a", "holder", "next");
		fill();
		Yielded yielded = answer(this.store.yieldTurn("a", "holder", "last", LEASE));
		assertThat(yielded.released()).isTrue();
		assertThat(yielded.next()).isInstanceOf(Refused.class);
		assertThat(this.server.call("GET", "a")).isEqualTo("next");
	}

	@Test
	void successorOfTheSameInstanceTakesOver() throws Exception {
		queue("a", "holder", "next");
		fill();
		assertThat(answer(this.store.transfer("a", "holder", "successor", LEASE))).isInstanceOf(Granted.class);
		assertThat(answer(this.store.downgrade("a", "successor", "reader", LEASE))).isInstanceOf(Granted.class);
	}

	@Test
	void holderIsAskedForARetainedLockAndPassesItOn() throws Exception {
		answer(this.store.subscribe(this.inbox));
		String holder = "holder@" + this.store.address();
		assertThat(answer(this.store.acquire("a", holder, LEASE))).isInstanceOf(Granted.class);
		fill();
		assertThat(answer(this.store.transfer("a", holder, holder, LEASE))).isInstanceOf(Granted.class);
		assertThat(answer(this.store.enqueue("a", "next", LEASE, false))).isInstanceOfSatisfying(Refused.class,
				(refused) -> assertThat(refused.recalled()).isTrue());
		await().until(() -> this.inbox.recalls().size() == 1);
		answer(this.store.answerBusy(this.inbox.recalls().get(0)));
		await().untilAsserted(() -> assertThat(this.inbox.busy()).containsExactly("a next"));
		assertThat(answer(this.store.release("a", holder))).isTrue();
		assertThat(this.server.call("GET", "a")).isEqualTo("next");
	}

	private void queue(String key, String holder, String waiter) throws Exception {
		answer(this.store.subscribe(this.inbox));
		assertThat(answer(this.store.acquire(key, holder, LEASE))).isInstanceOf(Granted.class);
		assertThat(answer(this.store.enqueue(key, waiter, LEASE, false))).isInstanceOf(Refused.class);
	}

	private void fill() {
		this.server.call("CONFIG", "SET", "maxmemory", "1");
		CompletableFuture<Acquisition> refused = this.store.acquire("another", "owner", LEASE).toCompletableFuture();
		assertThat(refused).failsWithin(Duration.ofSeconds(10)).withThrowableThat().withMessageContaining("OOM");
	}

	private static <T> T answer(CompletionStage<T> stage) throws Exception {
		return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
	}

}
