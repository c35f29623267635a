package io.lockable.test;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockable.DistributedLock;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;

/**
 * A listener that records in which order threads nest locks, and finds orders that
 * contradict each other. Such locks can deadlock, even if they never did in a test.
 * <pre class="code">
 * LockOrder order = new LockOrder();
 * LockEngine locks = LockEngine.builder(new InMemoryLockStore()).listener(order).build();
 * order.watch(locks);
 * …
 * order.check();
 * </pre>
 *
 * <p>
 * A thread that holds a lock and may wait for another one nests that one in the first.
 * Locks are compared by key, and by {@linkplain LockOptions#name() name} unless the
 * thread holds another lock of the same name. A contradiction is a cycle of any length,
 * with these exceptions:
 * <ul>
 * <li>A try without a wait and {@code acquireAsync()} do not block the thread, so they
 * are not nested in the locks around them.</li>
 * <li>Any thread may close a {@link io.lockable.Lease}, so nothing is nested in a lease
 * or a permit.</li>
 * <li>Orders under a common key exclude each other. By name, a common name is enough.
 * </li>
 * <li>A cycle whose locks are all nested in the text order of their keys is not reported.
 * </li>
 * </ul>
 *
 * <p>
 * At most {@value #MAX_NESTINGS} orders are recorded, each with one stack trace.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockOrder implements LockListener {

	private static final int MAX_NESTINGS = 10_000;

	private final BooleanSupplier ignored;

	private final List<LockEngine> engines = new CopyOnWriteArrayList<>();

	// The monitor of this object guards the following fields.
	private final Map<String, Map<String, Nesting>> nestings = new HashMap<>();

	private int size;

	private Set<String> leftBehind = Set.of();

	private @Nullable AssertionError contradiction;

	/**
	 * Creates an empty record.
	 */
	public LockOrder() {
		this(() -> false);
	}

	/**
	 * Creates an empty record that ignores some acquisitions.
	 * @param ignored whether the acquisitions of the calling thread are ignored now
	 */
	public LockOrder(BooleanSupplier ignored) {
		this.ignored = Objects.requireNonNull(ignored, "'ignored' must not be null");
	}

	/**
	 * Registers an engine that has this listener. All engines of one record must share
	 * their keys.
	 * @param engine the engine
	 */
	public void watch(LockEngine engine) {
		this.engines.add(Objects.requireNonNull(engine, "'engine' must not be null"));
	}

	/**
	 * Does nothing: only {@link #acquiring} is used.
	 */
	@Override
	public void onEvent(LockEvent event) {
	}

	@Override
	public @Nullable Consumer<LockEvent> acquiring(String key, String owner, LockOptions options) {
		List<LockInfo> held = held();
		if (!held.isEmpty() && !options.waitTime().isZero() && isBlocking() && !this.ignored.getAsBoolean()) {
			record(held, key, options.name());
		}
		return null;
	}

	private List<LockInfo> held() {
		return this.engines.stream().flatMap((engine) -> engine.holdings().stream()).toList();
	}

	// The hook is the same for threads and futures.
	private static boolean isBlocking() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.noneMatch((frame) -> frame.getMethodName().equals("acquireAsync")
					&& frame.getClassName().startsWith("io.lockable.engine.lock.")));
	}

	private synchronized void record(List<LockInfo> held, String key, String name) {
		String thread = Thread.currentThread().getName();
		Predicate<LockInfo> ofThisTest = (each) -> !this.leftBehind.contains(each.owner());
		List<LockInfo> around = held.stream().filter(ofThisTest.and(this::isHeldByCurrentThread)).toList();
		boolean comparedByName = around.stream().noneMatch((each) -> each.name().equals(name));
		for (LockInfo outer : around) {
			Throwable trace = new Throwable(LogSafe.of("Thread '%s' holds '%s' (key %s) and requests '%s' (key %s)"
				.formatted(thread, outer.name(), outer.key(), name, key)));
			// A lease of another thread may protect this one, too.
			List<LockInfo> guards = held.stream()
				.filter(ofThisTest.or((each) -> each.thread().equals(thread)))
				.filter((each) -> !each.key().equals(outer.key()) && !each.key().equals(key))
				.toList();
			Set<String> keys = guards.stream().map((each) -> byKey(each.key())).collect(Collectors.toSet());
			Set<String> names = new HashSet<>(keys);
			guards.forEach((each) -> names.add(byName(each.name(), each.key())));
			boolean sorted = outer.key().compareTo(key) < 0;
			if (comparedByName) {
				record(new Nesting(byName(outer.name(), outer.key()), byName(name, key), names, sorted, trace));
			}
			record(new Nesting(byKey(outer.key()), byKey(key), keys, sorted, trace));
		}
	}

	private boolean isHeldByCurrentThread(LockInfo lock) {
		return this.engines.stream().anyMatch((engine) -> {
			if (engine.get(lock.key()).isHeldByCurrentThread()) {
				return true;
			}
			try {
				// Several threads may hold the read lock.
				DistributedLock read = engine.getReadWriteLock(lock.key(), LockOptions.defaults()).readLock();
				return read.isHeldByCurrentThread() && read.lease().owner().equals(lock.owner());
			}
			catch (UnsupportedOperationException ex) {
				// The store has no read locks.
				return false;
			}
		});
	}

	private static String byName(String name, String key) {
		return name.equals(LockOptions.NO_NAME) ? byKey(key) : "'" + name + "'";
	}

	private static String byKey(String key) {
		return "key " + key;
	}

	private void record(Nesting nesting) {
		Nesting known = known(nesting.outer()).get(nesting.inner());
		if (known != null && known.implies(nesting)) {
			return;
		}
		List<Nesting> cycle = findCycle(nesting);
		if (!cycle.isEmpty()) {
			this.contradiction = (this.contradiction != null) ? this.contradiction : describe(cycle);
		}
		else if ((known != null) ? nesting.implies(known) : this.size < MAX_NESTINGS) {
			this.size += (known != null) ? 0 : 1;
			this.nestings.computeIfAbsent(nesting.outer(), (outer) -> new LinkedHashMap<>())
				.put(nesting.inner(), nesting);
		}
	}

	private static AssertionError describe(List<Nesting> cycle) {
		Nesting closing = cycle.get(0);
		AssertionError error = new AssertionError("Locks can deadlock: %s before %s. %s".formatted(
				cycle.stream().map(Nesting::outer).map(LogSafe::of).collect(Collectors.joining(" before ")),
				LogSafe.of(closing.outer()), closing.trace().getMessage()));
		cycle.stream().skip(1).map(Nesting::trace).forEach(error::addSuppressed);
		return error;
	}

	private Map<String, Nesting> known(String outer) {
		return this.nestings.getOrDefault(outer, Map.of());
	}

	/**
	 * Finds the shortest contradiction that a nesting completes.
	 */
	private List<Nesting> findCycle(Nesting closing) {
		Deque<List<Nesting>> paths = new ArrayDeque<>(List.of(List.of(closing)));
		Set<Nesting> reached = new HashSet<>();
		while (!paths.isEmpty()) {
			List<Nesting> path = paths.remove();
			String end = path.get(path.size() - 1).inner();
			if (!end.equals(closing.outer())) {
				known(end).values()
					.stream()
					.filter((next) -> path.stream().allMatch(next::isPossibleWith) && reached.add(next))
					.forEach((next) -> paths.add(Stream.concat(path.stream(), Stream.of(next)).toList()));
			}
			else if (!path.stream().allMatch(Nesting::sorted)) {
				return path;
			}
		}
		return List.of();
	}

	/**
	 * Ends a test: fails if an order has contradicted an earlier one since the last call.
	 * Recorded orders stay. Nothing is nested in the locks that are now held.
	 * @throws AssertionError if there is a contradiction. Its stack trace is that of one
	 * order, and its suppressed exceptions have those of the others.
	 */
	public synchronized void check() {
		this.leftBehind = held().stream().map(LockInfo::owner).collect(Collectors.toUnmodifiableSet());
		AssertionError found = this.contradiction;
		this.contradiction = null;
		if (found != null) {
			throw found;
		}
	}

	/**
	 * The order of two locks. Each is a key or a name.
	 *
	 * @param outer the held lock
	 * @param inner the requested lock
	 * @param guards the other keys that are held; for names, also the names
	 * @param sorted whether the key of the held lock precedes the other in text order
	 * @param trace the stack trace of the request
	 */
	private record Nesting(String outer, String inner, Set<String> guards, boolean sorted, Throwable trace) {

		// Any contradiction with the other one also is one with this one.
		boolean implies(Nesting other) {
			return other.guards.containsAll(this.guards) && (other.sorted || !this.sorted);
		}

		boolean isPossibleWith(Nesting other) {
			return Collections.disjoint(this.guards, other.guards);
		}

	}

}
