package io.lockable.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The common part of the contracts of all kinds of locks: two instances of an application
 * on one backend. The tests of a custom store extend {@link LockContractTests},
 * {@link SeveralKeysContractTests}, {@link ReadWriteLockContractTests} and
 * {@link SemaphoreContractTests}.
 *
 * @since 0.1.0
 */
public abstract class EngineContractTests extends ContractTests {

	/**
	 * The maximum time of an immediate action on a busy machine.
	 */
	protected static final Duration SOON = Duration.ofSeconds(5);

	/**
	 * A single try for a lock that does not expire during a test.
	 */
	protected static final LockOptions ONCE = LockOptions.defaults().withLease(Duration.ofSeconds(60));

	/**
	 * The same options with a wait that is over only after a failure.
	 */
	protected static final LockOptions PATIENT = ONCE.withWaitTime(Duration.ofSeconds(30));

	/**
	 * Options of a lease that soon expires, because it is not renewed.
	 */
	protected static final LockOptions DYING = PATIENT.withLease(Duration.ofMillis(500)).withRenewal(Renewal.OFF);

	/**
	 * One instance.
	 */
	protected LockEngine here;

	/**
	 * Another instance.
	 */
	protected LockEngine there;

	/**
	 * A store without an engine, for changes that both instances do not see.
	 */
	protected LockStore backdoor;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@BeforeEach
	final void startInstances() {
		this.here = startInstance();
		this.there = startInstance();
		this.backdoor = anotherStore();
	}

	@AfterEach
	final void stopInstances() throws InterruptedException {
		this.threads.shutdownNow();
		this.here.close();
		this.there.close();
		closeAll();
		assertThat(this.threads.awaitTermination(10, TimeUnit.SECONDS)).as("threads ended").isTrue();
	}

	/**
	 * Starts one more instance.
	 * @return the instance, which the test closes
	 */
	protected final LockEngine startInstance() {
		LockStore store = anotherStore();
		// The first command may open a connection. This takes longer than some leases
		// here, and on a busy machine longer than the command timeout of an engine.
		assertThat(store.isLocked(this.key).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(20));
		LockEngine instance = LockEngine.builder(store).shutdownTimeout(Duration.ofMillis(100)).build();
		instance.get(this.key).isLocked();
		return instance;
	}

	/**
	 * Runs a task on another thread.
	 * @param <T> the type of its result
	 * @param task the task
	 * @return the outcome
	 */
	protected final <T> Future<T> onThread(Callable<T> task) {
		return this.threads.submit(task);
	}

	/**
	 * Waits for the outcome of an immediate action.
	 * @param <T> the type of the outcome
	 * @param future the outcome
	 * @return the outcome
	 */
	protected static <T> T soon(Future<T> future) {
		return assertThat(future).succeedsWithin(SOON).actual();
	}

	/**
	 * Verifies that a loss is reported.
	 * @param lease the lost lease
	 * @return the loss
	 */
	protected static LockLost lost(Lease lease) {
		return soon(lease.lost().toCompletableFuture());
	}

	/**
	 * Skips a test that looks up holders if the store does not report them.
	 */
	final void canBeLookedAt() {
		assumeTrue(this.backdoor instanceof InspectableLockStore, "This store is not an InspectableLockStore");
	}

	/**
	 * Verifies that an acquisition waits, long enough to be queued.
	 * @param waiting the acquisition
	 */
	protected final void keepsWaiting(Future<?> waiting) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.during(Duration.ofMillis(100))
			.atMost(SOON)
			.until(() -> !waiting.isDone());
	}

	/**
	 * Verifies that a condition is soon true, on the calling thread.
	 * @param condition the condition
	 */
	protected static void soonTrue(Callable<Boolean> condition) {
		Awaitility.await()
			.pollInSameThread()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.atMost(SOON)
			.until(condition);
	}

	/**
	 * Verifies that a lock is free.
	 * @param lock the lock
	 */
	protected static void isFree(DistributedLock lock) {
		soonTrue(() -> lock.tryAcquire().map(Lease::release).orElse(false));
	}

	/**
	 * Verifies that nobody holds the lock of this test.
	 */
	void nobodyHolds() {
		isFree(this.there.get(this.key, ONCE));
	}

	/**
	 * Releases leases, and verifies that nobody holds the lock afterwards.
	 * @param leases the last leases of the test
	 */
	final void lastReleases(Lease... leases) {
		for (Lease lease : leases) {
			assertThat(lease.release()).isTrue();
		}
		nobodyHolds();
	}

	/**
	 * Waits on another thread, and verifies that an interrupt ends the wait.
	 * @param wait the wait
	 * @param begun whether the wait has begun
	 */
	final void interrupted(Callable<?> wait, Callable<Boolean> begun) {
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		Future<Boolean> interrupted = onThread(() -> {
			thread.complete(Thread.currentThread());
			try {
				wait.call();
				return false;
			}
			catch (InterruptedException ex) {
				return true;
			}
		});
		keepsWaiting(interrupted);
		soonTrue(begun);
		soon(thread).interrupt();
		assertThat(soon(interrupted)).isTrue();
	}

	/**
	 * Works on several threads of both instances, and waits for their end.
	 * @param threads the number of threads
	 * @param rounds the number of rounds of each thread
	 * @param work receives the instance and the index of the thread
	 */
	final void work(int threads, int rounds, Work work) {
		List<Future<Boolean>> workers = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			int index = i;
			workers.add(onThread(() -> {
				for (int round = 0; round < rounds; round++) {
					work.run((index % 2 == 0) ? this.here : this.there, index);
				}
				return true;
			}));
		}
		workers.forEach((worker) -> assertThat(worker).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true));
	}

	/**
	 * Takes a lock away from its holder.
	 * @param name the name of the lock
	 * @param owner the owner token
	 */
	protected final void takeAway(String name, String owner) {
		CompletionStage<Boolean> released = this.backdoor.release(name, owner);
		assertThat(soon(released.toCompletableFuture())).as("held until it was taken away").isTrue();
	}

	/**
	 * Waits for a failure.
	 * @param future the future that fails
	 * @return the failure
	 */
	protected static Throwable failure(CompletableFuture<?> future) {
		return soon(future.handle((value, failure) -> (failure != null) ? failure
				: new AssertionError("It did not fail, but completed with " + value)));
	}

	/**
	 * One round of the work of a thread.
	 */
	@FunctionalInterface
	interface Work {

		void run(LockEngine instance, int thread) throws Exception;

	}

}
