package io.lockable.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * A caller of an instance: it acquires a lock in one of all ways, holds it, and releases
 * it, again and again.
 */
final class Caller {

	/**
	 * Two exclusive locks, a read/write lock and a semaphore.
	 */
	static final List<String> KEYS = List.of("a", "b", "rw", "sem");

	private static final List<String> ALL = List.of("a", "a", "a", "b", "rw", "sem");

	// Redlock has no shared locks.
	private static final List<String> EXCLUSIVE = List.of("a", "a", "a", "b");

	private static final int PERMITS = 2;

	private static final long MILLISECOND = 1_000_000;

	// Longer than any call waits for the others.
	private static final Duration NO_LIMIT = Duration.ofMinutes(1);

	// An asynchronous release completes with the answer of the server.
	private static final long ANY_OUTAGE = 15_000 * MILLISECOND;

	private final Simulation world;

	private final Instance instance;

	private final Dice dice;

	private final Dice nesting;

	private final String name;

	Caller(Simulation world, Instance instance, String name) {
		this.name = name;
		this.world = world;
		this.instance = instance;
		this.dice = Dice.of(world.seed(), "caller " + name);
		this.nesting = Dice.of(world.seed(), "nested calls of " + name);
	}

	/**
	 * Starts the next call after a pause.
	 */
	void start() {
		after(this.dice.between(0, this.world.settings().think()), this::call);
	}

	private void after(long nanos, Runnable task) {
		this.world.scheduler().at(this.world.scheduler().now() + nanos, this.instance, task);
	}

	private void call() {
		if (this.world.isEnding() || this.instance.isStopping()) {
			return;
		}
		String key = this.dice.any(this.world.settings().isRedlock() ? EXCLUSIVE : ALL);
		LockOptions options = options();
		if (key.equals("rw") || key.equals("sem") || !this.world.settings().retains()) {
			options = options.withRetain(Duration.ZERO);
		}
		try {
			if (this.nesting.chance(this.world.settings().nested())) {
				nest(options.withRetain(Duration.ZERO).withRenewal(Renewal.ON));
			}
			else if (this.dice.chance(this.world.settings().asynchronous())) {
				acquireAsync(key, options);
			}
			else {
				acquire(key, options);
			}
		}
		catch (LockException ex) {
			start();
		}
	}

	private LockOptions options() {
		LockOptions options = LockOptions.defaults()
			.withLease(millis(this.dice.logarithmic(300, Settings.MAX_LEASE.toMillis())))
			.withWaitTime(this.dice.chance(0.3) ? Duration.ZERO : millis(this.dice.logarithmic(1, 8000)));
		if (this.dice.chance(0.3)) {
			options = options.withRelease(ReleaseMode.PIPELINED);
		}
		if (this.dice.chance(0.05)) {
			options = options.withMinHold(millis(this.dice.between(1, 800)));
		}
		return switch ((int) this.dice.between(0, 9)) {
			case 0 -> options.withFair(true);
			case 1 -> options.withRenewal(Renewal.OFF);
			case 2, 3, 4 -> options.withRetain(millis(this.dice.between(1, 2000)));
			default -> options;
		};
	}

	private static Duration millis(long millis) {
		return Duration.ofMillis(millis);
	}

	private Call called(List<String> keys, LockOptions options, String what) {
		return this.world.invariants()
			.called(this.instance, keys, options.waitTime().toNanos(), what + " " + keys + " with " + options);
	}

	// Without blocking

	private void acquireAsync(String key, LockOptions options) {
		int permits = 0;
		DistributedLock lock;
		if (key.equals("rw")) {
			DistributedReadWriteLock both = this.instance.engine().getReadWriteLock(key, options);
			boolean shared = this.dice.chance(0.7);
			permits = shared ? Integer.MAX_VALUE : 0;
			lock = shared ? both.readLock() : both.writeLock();
		}
		else if (key.equals("sem")) {
			permits = PERMITS;
			acquireAsync(this.instance.engine().getSemaphore(key, PERMITS, options).acquireAsync(), List.of(key),
					options, PERMITS);
			return;
		}
		else if (key.equals("a") && this.dice.chance(0.1) && this.world.settings().nested() == 0) {
			List<String> keys = List.of("a", "b");
			LockOptions several = options.withRetain(Duration.ZERO).withFair(false);
			acquireAsync(this.instance.engine().getAll(keys, several).acquireAsync(), keys, several, 0);
			return;
		}
		else {
			lock = this.instance.engine().get(key, options);
		}
		acquireAsync(lock.acquireAsync(), List.of(key), options, permits);
	}

	private void acquireAsync(CompletableFuture<Lease> future, List<String> keys, LockOptions options, int permits) {
		Call call = called(keys, options, "acquireAsync");
		CompletionStage<Lease> stage = future;
		stage.whenComplete((lease, failure) -> {
			this.world.invariants().ended(call);
			if (lease != null) {
				hold(new Held(this.instance, lease, permits), options);
			}
			else {
				this.world.invariants().failed(call, failure);
				start();
			}
		});
		if (this.dice.chance(0.1)) {
			after(this.dice.logarithmic(10_000, 500 * MILLISECOND), () -> future.cancel(true));
		}
	}

	private void hold(Held held, LockOptions options) {
		granted(held);
		long time = this.dice.chance(0.8) ? this.dice.logarithmic(10_000, 50 * MILLISECOND)
				: this.dice.logarithmic(50 * MILLISECOND, 4000 * MILLISECOND);
		if (this.dice.chance(0.1)) {
			after(time / 2, () -> extend(held));
		}
		if (options.renewal() == Renewal.OFF && this.dice.chance(0.2)) {
			// Left to its lease.
			after(time, this::start);
		}
		else {
			after(time, () -> release(held));
		}
	}

	private void granted(Held held) {
		this.world.trace().add(this.instance.name(), this.instance.name(), "has " + held);
		this.world.invariants().granted(held);
	}

	private void extend(Held held) {
		Call call = this.world.invariants().called(this.instance, List.of(), 0, "extend");
		try {
			held.lease().extend(millis(this.dice.between(100, Settings.MAX_LEASE.toMillis())));
		}
		catch (LockException ex) {
			// Unknown: the old deadline counts.
		}
		this.world.invariants().ended(call);
	}

	private void release(Held held) {
		boolean wasValid = held.isValid();
		held.release(this.world.scheduler().now());
		this.world.trace().add(this.instance.name(), this.instance.name(), "releases " + held);
		if (this.dice.chance(0.15)) {
			Call call = this.world.invariants().called(this.instance, List.of(), 0, "release");
			Interrupt interrupt = new Interrupt(this.world, this.name, 1);
			interrupt.plan(call);
			Boolean ours = null;
			try {
				ours = held.lease().release();
			}
			catch (LockException ex) {
				// Unknown: the release is repeated.
			}
			interrupt.end(false);
			released(held, call, wasValid, ours);
			return;
		}
		Call call = this.world.invariants().called(this.instance, List.of(), ANY_OUTAGE, "releaseAsync");
		CompletionStage<Boolean> stage = this.dice.chance(0.05)
				? held.lease().releaseAfterAsync(millis(this.dice.between(1, 1000))) : held.lease().releaseAsync();
		stage.whenComplete((ours, failure) -> released(held, call, wasValid, ours));
	}

	private void released(Held held, Call call, boolean wasValid, @Nullable Boolean ours) {
		this.world.invariants().ended(call);
		if (ours != null) {
			this.world.invariants().released(held, wasValid, ours);
		}
		start();
	}

	// Blocking

	private void acquire(String key, LockOptions options) {
		Interrupt interrupt = new Interrupt(this.world, this.name, key.equals("rw") ? 0.3 : 0);
		Call call = interrupt.isIgnored() ? called(List.of(key), options.withWaitTime(NO_LIMIT), "lock")
				: called(List.of(key), options, "tryAcquire");
		interrupt.plan(call);
		boolean thrown = false;
		try {
			if (key.equals("rw")) {
				downgrade(this.instance.engine().getReadWriteLock(key, options.withFair(false)), call, options,
						interrupt.isIgnored());
			}
			else {
				lock(key, options, call);
			}
		}
		catch (InterruptedException ex) {
			thrown = true;
		}
		catch (LockException ex) {
			this.world.invariants().failed(call, ex);
			throw ex;
		}
		finally {
			this.world.invariants().ended(call);
			interrupt.end(thrown);
		}
		start();
	}

	private void lock(String key, LockOptions options, Call call) throws InterruptedException {
		Optional<Lease> lease;
		if (key.equals("sem")) {
			lease = this.instance.engine().getSemaphore(key, PERMITS, options).tryAcquire(options.waitTime());
		}
		else {
			lease = this.instance.engine().get(key, options).tryAcquire(options.waitTime());
		}
		this.world.invariants().ended(call);
		if (lease.isPresent()) {
			Held held = new Held(this.instance, lease.get(), key.equals("sem") ? PERMITS : 0);
			granted(held);
			sleep();
			held.release(this.world.scheduler().now());
			lease.get().close();
		}
	}

	/**
	 * Takes the write lock, then the read lock, and releases the write lock first.
	 */
	private void downgrade(DistributedReadWriteLock lock, Call call, LockOptions options, boolean ignoresInterrupts)
			throws InterruptedException {
		DistributedLock write = lock.writeLock();
		boolean locked = true;
		if (ignoresInterrupts) {
			write.lock();
		}
		else {
			locked = write.tryLock(options.waitTime().toNanos(), TimeUnit.NANOSECONDS);
		}
		this.world.invariants().ended(call);
		if (!locked) {
			return;
		}
		Held exclusive = new Held(this.instance, write.lease(), 0);
		granted(exclusive);
		DistributedLock read = lock.readLock();
		boolean both = false;
		try {
			Dice forced = this.world.faults().strike(Fault.FORCED_DOWNGRADE, this.name);
			if (forced != null) {
				this.world.forceRelease(this.instance, "rw", forced);
				this.world.scheduler().sleep(forced.logarithmic(MILLISECOND, 500 * MILLISECOND));
			}
			sleep();
			both = read.tryLock();
		}
		finally {
			exclusive.release(this.world.scheduler().now());
			try {
				write.unlock();
			}
			finally {
				if (both) {
					share(read, exclusive);
				}
			}
		}
	}

	private void share(DistributedLock read, Held exclusive) {
		Held share = new Held(this.instance, read.lease(), Integer.MAX_VALUE);
		// After a failed exchange, this is still the lost write lock.
		if (share.lease() != exclusive.lease()) {
			granted(share);
		}
		sleep();
		share.release(this.world.scheduler().now());
		read.unlock();
	}

	/**
	 * Holds a lock while it waits for another one.
	 */
	private void nest(LockOptions options) {
		List<String> keys = new ArrayList<>(List.of("a", "b"));
		if (!this.world.settings().isRedlock()) {
			keys.add("rw");
			keys.remove((int) this.nesting.between(0, 2));
		}
		if (!this.world.settings().ordered() && this.nesting.chance(0.5)) {
			Collections.reverse(keys);
		}
		try {
			DistributedLock outer = exclusive(keys.get(0), options);
			Held first = tryLock(outer, keys.get(0), options, null);
			if (first != null) {
				try {
					sleep();
					DistributedLock inner = exclusive(keys.get(1), options);
					Held second = tryLock(inner, keys.get(1),
							options.withWaitTime(millis(this.nesting.logarithmic(1000, 15_000))), first);
					if (second != null) {
						sleep();
						unlock(inner, second);
					}
				}
				finally {
					unlock(outer, first);
				}
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		start();
	}

	private DistributedLock exclusive(String key, LockOptions options) {
		return key.equals("rw") ? this.instance.engine().getReadWriteLock(key, options.withFair(false)).writeLock()
				: this.instance.engine().get(key, options);
	}

	private @Nullable Held tryLock(DistributedLock lock, String key, LockOptions options, @Nullable Held outer)
			throws InterruptedException {
		Call call = called(List.of(key), options, "tryLock");
		Deadlocks.@Nullable Waiting waiting = (outer != null) ? this.world.deadlocks().begin(outer, key) : null;
		boolean locked;
		try {
			locked = lock.tryLock(options.waitTime().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (LockException ex) {
			this.world.invariants().failed(call, ex);
			throw ex;
		}
		finally {
			this.world.invariants().ended(call);
			if (waiting != null) {
				this.world.deadlocks().end(waiting);
			}
		}
		if (!locked) {
			return null;
		}
		Held held = new Held(this.instance, lock.lease(), 0);
		granted(held);
		return held;
	}

	private void unlock(DistributedLock lock, Held held) {
		held.release(this.world.scheduler().now());
		lock.unlock();
	}

	private void sleep() {
		this.world.scheduler().sleep(this.dice.logarithmic(10_000, 500 * MILLISECOND));
	}

}
