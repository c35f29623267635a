package io.lockable.engine.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.inspection.LockWaiting;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LocalLease;
import io.lockable.engine.shell.PendingAcquisition;
import org.jspecify.annotations.Nullable;

/**
 * The locks and the waiting calls of this instance. Thread-safe.
 */
final class LocalLocks {

	private static final long NANOS = 1_000_000;

	// Of one holder, which has very many only if its request waits for other locks as
	// well.
	private static final int MAX_WAITS = 100;

	private final KeyShells shells;

	private final Supplier<String> namer;

	private volatile @Nullable String name;

	// From the clock of the engine to the time of day. Constant, so that each report of a
	// call has the same time.
	private final long epochOffset;

	// The calls that hold a lock and had waited for another one at the last look, by
	// their caller: a thread, or the id of a request.
	private volatile Map<Object, List<PendingAcquisition>> nested = Map.of();

	LocalLocks(KeyShells shells, Supplier<String> namer) {
		this.shells = shells;
		this.namer = namer;
		this.epochOffset = epochOffset(shells.parts().runtime());
	}

	/**
	 * Reads both clocks together. A thread that is paused between them reads again.
	 */
	private static long epochOffset(EngineRuntime runtime) {
		long offset = 0;
		long shortest = Long.MAX_VALUE;
		for (int i = 0; i < 5; i++) {
			long before = runtime.now();
			long epoch = runtime.epochMillis();
			long gap = runtime.now() - before;
			if (gap < shortest) {
				shortest = gap;
				offset = epoch - before / NANOS;
			}
		}
		return offset;
	}

	String instance() {
		String known = this.name;
		if (known == null) {
			known = this.namer.get();
			this.name = known;
		}
		return known;
	}

	/**
	 * Looks at all waiting calls.
	 * @param nanos the time from which a wait counts
	 * @param each called with each call that has waited for that time
	 * @return the calls among them whose caller holds a lock
	 */
	List<PendingAcquisition> look(long nanos, Consumer<PendingAcquisition> each) {
		long now = this.shells.now();
		Map<Object, List<PendingAcquisition>> found = new HashMap<>();
		this.shells.leases().forEach((lease) -> found.put(caller(lease), new ArrayList<>(0)));
		List<PendingAcquisition> all = new ArrayList<>();
		this.shells.waiters().filter((pending) -> now - pending.startedAt() >= nanos).forEach((pending) -> {
			each.accept(pending);
			List<List<PendingAcquisition>> holding = callers(pending).filter(found::containsKey)
				.map(found::get)
				.toList();
			holding.forEach((waits) -> waits.add(pending));
			if (!holding.isEmpty()) {
				all.add(pending);
			}
		});
		found.values().removeIf(List::isEmpty);
		this.nested = found;
		return all;
	}

	private static Object caller(LocalLease lease) {
		Thread thread = lease.holder();
		return (thread != null) ? thread : request(lease.owner());
	}

	private static Stream<Object> callers(PendingAcquisition pending) {
		Thread thread = pending.waitingThread();
		Object request = request(pending.owner());
		return (thread != null) ? Stream.of(thread, request) : Stream.of(request);
	}

	private static String request(String owner) {
		return owner.substring(0, owner.lastIndexOf(':'));
	}

	/**
	 * Returns the holder of a lock in this instance.
	 * @param key the full name of the lock
	 * @param owner the owner token in the store, which may be that of an earlier holder;
	 * the empty text for the holder of an exclusive lock without one
	 * @return the holder, or {@code null}
	 */
	@Nullable Hold holder(String key, String owner) {
		LocalLease lease = this.shells.lease(key, owner);
		return (lease != null) ? hold(lease) : null;
	}

	private Hold hold(LocalLease lease) {
		List<Wait> waits = this.nested.getOrDefault(caller(lease), List.of())
			.stream()
			.filter((pending) -> !pending.outcome().isDone())
			.limit(MAX_WAITS)
			.map(this::wait)
			.toList();
		return new Hold(info(lease, Describe.owner(lease.owner())), lease.holder() != null, waits);
	}

	private LockInfo info(LocalLease lease, String owner) {
		return new LockInfo(instance(), lease.key(), lease.options().name(), owner, lease.callerName(),
				lease.times().held(this.shells.now()), lease.remaining(), lease.holdCount(), lease.fencingToken(),
				lease.renewals());
	}

	List<LockInfo> holdings() {
		return this.shells.leases().stream().map((lease) -> info(lease, lease.owner())).toList();
	}

	List<LockWaiting> waiting() {
		return this.shells.waiters()
			.map(this::waiting)
			.sorted(Comparator.comparing(LockWaiting::waited).reversed())
			.toList();
	}

	private LockWaiting waiting(PendingAcquisition pending) {
		return new LockWaiting(instance(), pending.key(), pending.options().name(), pending.callerName(),
				Duration.ofNanos(Math.max(0, this.shells.now() - pending.startedAt())));
	}

	Wait wait(PendingAcquisition pending) {
		return new Wait(waiting(pending), pending.owner(), pending.startedAt() / NANOS + this.epochOffset,
				pending.permits());
	}

	Report reportHolder(String key, String owner) {
		Hold holder = holder(key, owner);
		return new Report(instance(), true, (holder != null) ? List.of(holder) : List.of(), List.of());
	}

	/**
	 * Reports all locks and waiting calls, of which each part is cut at a limit.
	 * @param limit the largest number of holds and of waits
	 * @return the report
	 */
	Report report(int limit) {
		List<Hold> holds = this.shells.leases().stream().limit(limit + 1L).map(this::hold).toList();
		List<Wait> waits = this.shells.waiters()
			.limit(limit + 1L)
			.map((pending) -> new Wait(waiting(pending), "", 0, pending.permits()))
			.sorted(Comparator.comparing((Wait wait) -> wait.info().waited()).reversed())
			.toList();
		return new Report(instance(), holds.size() <= limit && waits.size() <= limit,
				holds.subList(0, Math.min(limit, holds.size())), waits.subList(0, Math.min(limit, waits.size())));
	}

}
