package io.lockable.engine.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockDeadlockException;
import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.DeadlockAction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the search for deadlocks.
 */
@SuppressWarnings("LockNotBeforeTry")
class DeadlockTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SEVERAL_LOOKS = Duration.ofMillis(2_500);

	@Test
	void circleOfThreeInstancesIsReportedOnce() throws Exception {
		try (Peers peers = new Peers(3, DeadlockAction.REPORT)) {
			List<CompletableFuture<Throwable>> threads = circle(peers, 3);
			await().atMost(LONG).until(() -> !peers.deadlocks().isEmpty());
			await().pollDelay(SEVERAL_LOOKS).until(() -> true);
			assertThat(peers.deadlocks()).singleElement().satisfies((deadlock) -> {
				assertThat(deadlock.certain()).isTrue();
				assertThat(deadlock.broken()).isFalse();
				assertThat(deadlock.calls()).hasSize(3);
				IntStream.range(0, 3)
					.forEach((i) -> assertThat(deadlock.calls()).anySatisfy((call) -> assertThat(call)
						.startsWith("'thread-%d' of app-%d holds 'k%d'".formatted(i, i, i))
						.contains("waits for 'k%d'".formatted((i + 1) % 3))));
			});
			assertThat(threads).noneMatch(CompletableFuture::isDone);
		}
	}

	@Test
	void brokenCircleFailsItsYoungestCallAndTheOthersContinue() throws Exception {
		try (Peers peers = new Peers(3, DeadlockAction.BREAK)) {
			List<CompletableFuture<Throwable>> threads = circle(peers, 3);
			await().atMost(LONG).until(() -> threads.stream().allMatch(CompletableFuture::isDone));
			assertThat(threads.subList(0, 2)).as("the older calls").allMatch((each) -> each.join() == null);
			assertThat(threads.get(2).join()).isInstanceOf(LockDeadlockException.class)
				.hasMessageStartingWith("Lock 'k0' was not acquired, because the call is part of a deadlock")
				.hasMessageContaining("'thread-0' of app-0 holds 'k0'");
			assertThat(peers.deadlocks()).singleElement().matches(LockEvent.Deadlocked::broken);
		}
	}

	@Test
	void circleWithinOneInstanceIsBroken() throws Exception {
		try (Peers peers = new Peers(1, DeadlockAction.BREAK)) {
			List<CompletableFuture<Throwable>> threads = circle(peers, 2);
			await().atMost(LONG).until(() -> threads.stream().allMatch(CompletableFuture::isDone));
			assertThat(threads.get(0).join()).isNull();
			assertThat(threads.get(1).join()).isInstanceOf(LockDeadlockException.class);
		}
	}

	@Test
	void circleThatIsNotSearchedForIsNotReported() throws Exception {
		try (Peers peers = new Peers(2, DeadlockAction.OFF)) {
			circle(peers, 2);
			await().pollDelay(SEVERAL_LOOKS).until(() -> true);
			assertThat(peers.deadlocks()).isEmpty();
		}
	}

	/**
	 * Starts threads, each of which holds one lock and requests the next one, in turn:
	 * the last one is the youngest.
	 */
	private static List<CompletableFuture<Throwable>> circle(Peers peers, int size) {
		CountDownLatch held = new CountDownLatch(size);
		List<CompletableFuture<Throwable>> threads = new ArrayList<>();
		for (int i = 0; i < size; i++) {
			LockEngine engine = peers.get(i % peers.size());
			int number = i;
			threads.add(peers.run("thread-" + i, () -> engine.get("k" + number, Peers.PATIENT).run(() -> {
				held.countDown();
				awaitTurn(held, peers, number);
				engine.get("k" + (number + 1) % size, Peers.PATIENT).run(() -> {
				});
			})));
		}
		return threads;
	}

	private static void awaitTurn(CountDownLatch held, Peers peers, int number) {
		try {
			held.await();
		}
		catch (InterruptedException ex) {
			throw new LockException("Interrupted", ex);
		}
		await().atMost(LONG).until(() -> peers.waiting() == number);
	}

	@Test
	void circleThroughALeaseOfTheSameRequestIsPossibleAndNotBroken() throws Exception {
		try (Peers peers = new Peers(1, DeadlockAction.BREAK)) {
			LockEngine engine = peers.get(0);
			peers.request("req-1");
			Lease lease = engine.get("lease", Peers.PATIENT).acquire();
			peers.request("req-2");
			CompletableFuture<Throwable> thread = peers.run("thread",
					() -> engine.get("k", Peers.PATIENT).run(() -> engine.get("lease", Peers.PATIENT).run(() -> {
					})));
			await().atMost(LONG).until(() -> peers.waiting() == 1);
			peers.request("req-1");
			CompletableFuture<Lease> waiting = engine.get("k", Peers.PATIENT).acquireAsync();
			await().atMost(LONG).until(() -> !peers.deadlocks().isEmpty());
			assertThat(peers.deadlocks()).singleElement()
				.matches((deadlock) -> !deadlock.certain() && !deadlock.broken());
			assertThat(thread).isNotDone();
			assertThat(waiting).isNotDone();
			lease.release();
			waiting.cancel(true);
		}
	}

	@Test
	void writerThatWaitsForAReaderIsPartOfACircle() throws Exception {
		try (Peers peers = new Peers(2, DeadlockAction.REPORT)) {
			CountDownLatch held = new CountDownLatch(2);
			peers.run("reader", () -> peers.get(0).getReadWriteLock("rw", Peers.PATIENT).readLock().run(() -> {
				held.countDown();
				awaitTurn(held, peers, 0);
				peers.get(0).get("k", Peers.PATIENT).lock();
			}));
			peers.run("writer", () -> peers.get(1).get("k", Peers.PATIENT).run(() -> {
				held.countDown();
				awaitTurn(held, peers, 1);
				peers.get(1).getReadWriteLock("rw", Peers.PATIENT).writeLock().lock();
			}));
			await().atMost(LONG).until(() -> !peers.deadlocks().isEmpty());
			assertThat(peers.deadlocks()).singleElement().matches(LockEvent.Deadlocked::certain);
		}
	}

	@Test
	void permitThatAnyHolderMayReleaseIsPartOfNoCircle() throws Exception {
		try (Peers peers = new Peers(2, DeadlockAction.REPORT)) {
			Lease other = peers.get(1).getSemaphore("permits", 2, Peers.PATIENT).acquire();
			CountDownLatch held = new CountDownLatch(2);
			peers.run("first", () -> {
				Lease permit = peers.get(0).getSemaphore("permits", 2, Peers.PATIENT).acquire();
				held.countDown();
				awaitTurn(held, peers, 0);
				peers.get(0).get("k", Peers.PATIENT).lock();
				permit.release();
			});
			CompletableFuture<Throwable> second = peers.run("second",
					() -> peers.get(1).get("k", Peers.PATIENT).run(() -> {
						held.countDown();
						awaitTurn(held, peers, 1);
						try {
							peers.get(1).getSemaphore("permits", 2, Peers.PATIENT).acquire().release();
						}
						catch (InterruptedException ex) {
							throw new LockException("Interrupted", ex);
						}
					}));
			await().pollDelay(SEVERAL_LOOKS).until(() -> true);
			assertThat(peers.deadlocks()).isEmpty();
			other.release();
			assertThat(second.join()).isNull();
		}
	}

	@Test
	void locksOfAHalfAcquiredSetArePartOfACircle() throws Exception {
		try (Peers peers = new Peers(2, DeadlockAction.BREAK)) {
			CountDownLatch held = new CountDownLatch(1);
			CompletableFuture<Throwable> single = peers.run("single",
					() -> peers.get(0).get("b", Peers.PATIENT).run(() -> {
						held.countDown();
						await().atMost(LONG).until(() -> peers.waiting() == 1 && peers.get(1).holdings().size() == 1);
						peers.get(0).get("a", Peers.PATIENT).run(() -> {
						});
					}));
			held.await();
			DistributedLock both = peers.get(1).getAll(List.of("a", "b"), Peers.PATIENT);
			CompletableFuture<Throwable> set = peers.run("set", () -> both.run(() -> {
			}));
			assertThat(single.get()).isInstanceOf(LockDeadlockException.class);
			assertThat(set.get()).isNull();
		}
	}

	@Test
	void longWaitsInOneOrderAreNoDeadlock() throws Exception {
		try (Peers peers = new Peers(2, DeadlockAction.REPORT)) {
			List<CompletableFuture<Throwable>> threads = IntStream.range(0, 6).mapToObj((i) -> {
				LockEngine engine = peers.get(i % 2);
				return peers.run("thread-" + i,
						() -> engine.get("k" + i % 3, Peers.PATIENT)
							.run(() -> engine.get("last", Peers.PATIENT)
								.run(() -> await().pollDelay(Duration.ofMillis(700)).until(() -> true))));
			}).toList();
			await().atMost(LONG).until(() -> threads.stream().allMatch(CompletableFuture::isDone));
			assertThat(threads).allMatch((each) -> Objects.isNull(each.join()));
			assertThat(peers.deadlocks()).isEmpty();
		}
	}

	/**
	 * Threads of three instances nest up to four of twenty locks in one order, and a few
	 * of them hold their locks for long, so that chains of waits outlast a second.
	 */
	@Tag("extended")
	@Test
	@Timeout(900)
	void manyRandomAcquisitionsInOneOrderAreNoDeadlock() throws Exception {
		AtomicInteger acquired = new AtomicInteger();
		AtomicInteger longWaits = new AtomicInteger();
		try (Peers peers = new Peers(3, DeadlockAction.REPORT)) {
			List<CompletableFuture<Throwable>> threads = IntStream.range(0, 24).mapToObj((i) -> {
				SplittableRandom random = new SplittableRandom(i);
				return peers.run("thread-" + i, () -> {
					while (acquired.get() < 100_000) {
						int[] keys = random.ints(4, 0, 20).sorted().distinct().toArray();
						nest(peers.get(i % 3), keys, 0, random.nextInt(800) == 0, acquired, longWaits);
					}
				});
			}).toList();
			await().atMost(Duration.ofMinutes(15)).until(() -> threads.stream().allMatch(CompletableFuture::isDone));
			assertThat(threads).allMatch((each) -> Objects.isNull(each.join()));
			assertThat(longWaits).as("waits of a second while holding a lock").hasValueGreaterThan(50);
			assertThat(peers.deadlocks()).isEmpty();
		}
	}

	private static void nest(LockEngine engine, int[] keys, int depth, boolean slow, AtomicInteger acquired,
			AtomicInteger longWaits) {
		if (depth < keys.length) {
			long before = System.nanoTime();
			engine.get("k" + keys[depth], Peers.PATIENT).run(() -> {
				acquired.incrementAndGet();
				if (depth > 0 && System.nanoTime() - before > 1_000_000_000) {
					longWaits.incrementAndGet();
				}
				nest(engine, keys, depth + 1, slow, acquired, longWaits);
			});
		}
		else if (slow) {
			await().pollDelay(Duration.ofMillis(1200)).until(() -> true);
		}
	}

}
