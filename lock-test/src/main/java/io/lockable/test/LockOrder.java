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
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lockable.LockContext;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.engine.LockInfo;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener that records the order in which locks are nested, and finds orders that
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
 * If a caller holds a lock named <em>A</em> and may wait for a lock named <em>B</em>,
 * <em>A</em> precedes <em>B</em>. A contradiction is a cycle of any length:
 * <ul>
 * <li>Locks are compared by key, and by {@linkplain LockOptions#name() name} if both have
 * different ones.</li>
 * <li>Each thread is a caller, and so is the body of an annotated method that completes
 * on other threads. A {@link io.lockable.Lease} belongs to the method that acquired it,
 * while this method runs. A lease of {@code acquireAsync()} belongs to no caller.</li>
 * <li>A try without a wait, a reentrant acquisition, and the keys of one call have no
 * order.</li>
 * <li>Orders that share a held key are not compared, because that key excludes the other
 * order.</li>
 * <li>A read lock or a permit counts as its lock.</li>
 * <li>If a caller requests the key of a lease that it holds, that lease stands for
 * another owner, and its orders are discarded.</li>
 * </ul>
 *
 * <p>
 * At most {@value #MAX_ORDERS} pairs are recorded, each with one stack trace.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockOrder implements LockListener {

	static final int MAX_ORDERS = 10_000;

	private static final int MAX_REPORTS = 100;

	private static final Logger log = LoggerFactory.getLogger(LockOrder.class);

	private final BooleanSupplier inTestTransaction;

	private final List<LockEngine> engines = new CopyOnWriteArrayList<>();

	// By owner token, in order of acquisition.
	private final Map<String, Hold> holds = Collections.synchronizedMap(new LinkedHashMap<>());

	// Acyclic, apart from cycles that a common key excludes. The monitor of this object
	// guards the following fields.
	private final Map<String, Map<String, Order>> orders = new HashMap<>();

	private final Map<String, List<Order>> contradictions = new LinkedHashMap<>();

	private int size;

	/**
	 * Creates an empty record.
	 */
	public LockOrder() {
		this(() -> false);
	}

	/**
	 * Creates an empty record for tests with transactions of their own. Such a
	 * transaction keeps the locks of all annotated methods that the test calls, so these
	 * locks are only held while their methods run.
	 * @param inTestTransaction whether the calling thread is in such a transaction
	 */
	public LockOrder(BooleanSupplier inTestTransaction) {
		this.inTestTransaction = Objects.requireNonNull(inTestTransaction, "'inTestTransaction' must not be null");
	}

	/**
	 * Registers an engine with this listener. Otherwise, a lease whose release is not
	 * awaited seems to be held until the store answers.
	 * @param engine the engine; either all engines of this listener are registered, or
	 * none
	 */
	public void watch(LockEngine engine) {
		this.engines.add(Objects.requireNonNull(engine, "'engine' must not be null"));
	}

	/**
	 * Does nothing: all events arrive in {@link #acquiring}.
	 */
	@Override
	public void onEvent(LockEvent event) {
	}

	@Override
	public Consumer<LockEvent> acquiring(String key, String owner, LockOptions options) {
		Call call = Call.current();
		boolean byBody = call.isOfBody() || (call.isAnnotated() && this.inTestTransaction.getAsBoolean());
		Hold requested = new Hold(key, options.name(), owner, byBody ? null : Thread.currentThread(), call, Set.of(),
				0);
		List<Hold> around = around(call);
		record(around, requested, !options.waitTime().isZero());
		Set<String> outer = around.stream().map(Hold::owner).collect(Collectors.toUnmodifiableSet());
		return (event) -> {
			if (event instanceof LockEvent.Acquired acquired) {
				this.holds.put(owner, requested.granted(acquired.fencingToken(), outer));
			}
			else if (!(event instanceof LockEvent.Renewed || event instanceof LockEvent.RenewalFailed)) {
				this.holds.remove(owner);
			}
		};
	}

	/**
	 * Returns the locks that the caller holds, and those around their bodies.
	 */
	private List<Hold> around(Call call) {
		LockContext context = LockContext.find().orElse(null);
		Set<String> held = this.engines.stream()
			.flatMap((engine) -> engine.holdings().stream())
			.filter((each) -> !each.remaining().isZero())
			.map(LockInfo::owner)
			.collect(Collectors.toSet());
		synchronized (this.holds) {
			Set<String> owners = new HashSet<>();
			for (Hold hold : this.holds.values()) {
				if (hold.belongsTo(call, context)) {
					owners.add(hold.owner());
					owners.addAll(hold.outer());
				}
			}
			return this.holds.values()
				.stream()
				.filter((hold) -> owners.contains(hold.owner())
						&& (this.engines.isEmpty() || held.contains(hold.owner())))
				.toList();
		}
	}

	private synchronized void record(List<Hold> around, Hold requested, boolean waits) {
		List<Hold> same = around.stream().filter((hold) -> hold.key().equals(requested.key())).toList();
		same.forEach(this::discard);
		if (!same.isEmpty() || !waits) {
			return;
		}
		boolean within = around.stream().anyMatch((hold) -> hold.kind().equals(requested.kind()));
		for (Hold hold : around) {
			boolean together = requested.isTogetherWith(hold);
			if (!within && !together) {
				add(Order.of(hold, requested, around, Hold::kind), MAX_ORDERS);
			}
			if (!together || !requested.call().several()) {
				add(Order.of(hold, requested, around, Hold::id), MAX_ORDERS / 2);
			}
		}
	}

	private void add(Order order, int limit) {
		Order known = this.orders.getOrDefault(order.first(), Map.of()).get(order.then());
		if (known != null && (known.guards().equals(order.guards()) || !known.guards().containsAll(order.guards()))) {
			return;
		}
		List<Order> cycle = findCycle(order);
		if (!cycle.isEmpty()) {
			if (this.contradictions.size() < MAX_REPORTS) {
				this.contradictions.putIfAbsent(order.names(), cycle);
			}
		}
		else if (known != null || this.size < limit) {
			if (known == null && ++this.size == limit) {
				log.warn("{} orders of locks are recorded: further ones are ignored", limit);
			}
			this.orders.computeIfAbsent(order.first(), (first) -> new LinkedHashMap<>()).put(order.then(), order);
		}
	}

	/**
	 * Finds the shortest cycle that an order closes, and in which no two orders share a
	 * held key.
	 */
	private List<Order> findCycle(Order closing) {
		Map<String, Order> reached = new HashMap<>();
		Deque<String> left = new ArrayDeque<>(List.of(closing.then()));
		while (!left.isEmpty()) {
			String label = left.remove();
			for (Order next : this.orders.getOrDefault(label, Map.of()).values()) {
				boolean possible = next.guards().isEmpty() || path(closing, reached, label).stream()
					.allMatch((each) -> Collections.disjoint(each.guards(), next.guards()));
				if (possible && reached.putIfAbsent(next.then(), next) == null) {
					if (next.then().equals(closing.first())) {
						return path(closing, reached, next.then());
					}
					left.add(next.then());
				}
			}
		}
		return List.of();
	}

	private static List<Order> path(Order closing, Map<String, Order> reached, String end) {
		Deque<Order> path = new ArrayDeque<>(List.of(closing));
		for (String label = end; !label.equals(closing.then()); label = path.getFirst().first()) {
			path.addFirst(Objects.requireNonNull(reached.get(label)));
		}
		return List.copyOf(path);
	}

	private void discard(Hold hold) {
		this.holds.remove(hold.owner());
		this.orders.values().forEach((each) -> each.values().removeIf((order) -> order.owner().equals(hold.owner())));
		this.size = this.orders.values().stream().mapToInt(Map::size).sum();
		this.contradictions.values()
			.removeIf((cycle) -> cycle.stream().anyMatch((order) -> order.owner().equals(hold.owner())));
	}

	/**
	 * Ends a test: fails if an order contradicts an earlier one since the last call, and
	 * forgets which locks are held. Recorded orders stay.
	 * @throws AssertionError if there is a contradiction. The message has the stack trace
	 * of each order.
	 */
	public synchronized void check() {
		String report = this.contradictions.values()
			.stream()
			.map(LockOrder::describe)
			.collect(Collectors.joining(System.lineSeparator()));
		this.contradictions.clear();
		this.holds.clear();
		if (!report.isEmpty()) {
			throw new AssertionError(report);
		}
	}

	private static String describe(List<Order> cycle) {
		String line = System.lineSeparator();
		String orders = cycle.stream()
			.map(Order::first)
			.collect(Collectors.joining(" before ", "", " before " + cycle.get(0).first()));
		return cycle.stream()
			.map(Order::describe)
			.collect(Collectors.joining(line,
					"Locks are acquired in orders that can deadlock: " + LogSafe.of(orders) + line, ""));
	}

	/**
	 * The call that acquires a lock.
	 *
	 * @param method the method of the lock; empty for a thread of the engine
	 * @param several whether it acquires several keys
	 * @param stack the stack trace of its caller
	 */
	private record Call(String method, boolean several, List<StackTraceElement> stack) {

		private static final String ENGINE = "io.lockable.engine.";

		private static final String LOCK = ENGINE + "lock.";

		private static final String ANNOTATED = "io.lockable.spring.call.";

		private static final Set<String> OF_HANDLE = Set.of("acquire", "tryAcquire");

		private static final Set<String> OF_THREAD = Set.of("call", "lock", "lockInterruptibly", "run", "tryLock",
				"unlock");

		static Call current() {
			List<StackTraceElement> frames = List.of(new Throwable().getStackTrace());
			int end = 0;
			StackTraceElement last = null;
			boolean several = false;
			for (StackTraceElement frame : frames) {
				boolean ofEngine = frame.getClassName().startsWith(ENGINE);
				if (!ofEngine && last != null) {
					break;
				}
				end++;
				last = ofEngine ? frame : last;
				several |= frame.getClassName().startsWith(LOCK + "Multi");
			}
			String method = (last != null && last.getClassName().startsWith(LOCK)) ? last.getMethodName() : "";
			return new Call(method, several, frames.subList(end, frames.size()));
		}

		// The thread itself holds the lock, rather than a handle.
		boolean isOfThread() {
			return OF_THREAD.contains(this.method);
		}

		boolean isBlocking() {
			return isOfThread() || OF_HANDLE.contains(this.method);
		}

		boolean isAnnotated() {
			return !this.stack.isEmpty() && this.stack.get(0).getClassName().startsWith(ANNOTATED);
		}

		// The lock belongs to the body of an annotated method, or to no caller.
		boolean isOfBody() {
			return !isBlocking() || (isAnnotated() && !isOfThread());
		}

		// The method that made the other call on this thread still runs.
		boolean isWithin(Call other) {
			int size = other.stack.size();
			int start = this.stack.size() - size;
			return size > 0 && start >= 0 && isSameMethod(this.stack.get(start), other.stack.get(0))
					&& this.stack.subList(start + 1, this.stack.size()).equals(other.stack.subList(1, size));
		}

		private static boolean isSameMethod(StackTraceElement one, StackTraceElement other) {
			return one.getClassName().equals(other.getClassName()) && one.getMethodName().equals(other.getMethodName());
		}

	}

	/**
	 * A lock that a caller holds or requests.
	 *
	 * @param key the full name of the lock
	 * @param name the name
	 * @param owner the owner token
	 * @param thread the thread that it belongs to; {@code null} for a body
	 * @param call the call that acquires it
	 * @param outer the owner tokens of the locks around it
	 * @param fencingToken the fencing token, once it is held
	 */
	private record Hold(String key, String name, String owner, @Nullable Thread thread, Call call, Set<String> outer,
			long fencingToken) {

		Hold granted(long token, Set<String> around) {
			return new Hold(this.key, this.name, this.owner, this.thread, this.call, around, token);
		}

		boolean belongsTo(Call caller, @Nullable LockContext context) {
			if (this.thread != null) {
				return caller.isBlocking() && this.thread == Thread.currentThread()
						&& (this.call.isOfThread() || caller.isWithin(this.call));
			}
			return context != null && context.keys().contains(this.key)
					&& context.fencingToken(this.key) == this.fencingToken;
		}

		// One call acquires both locks, in the order of their keys.
		boolean isTogetherWith(Hold other) {
			return (this.call.several() || this.call.isAnnotated()) && this.call.stack().equals(other.call.stack());
		}

		String id() {
			return "key " + this.key;
		}

		String kind() {
			return this.name.equals(LockOptions.NO_NAME) ? id() : this.name;
		}

	}

	/**
	 * Two locks, or kinds of locks, of which one is acquired while the other is held.
	 *
	 * @param first the held lock
	 * @param then the acquired lock
	 * @param names the names of both
	 * @param text a description of both
	 * @param owner the owner token of the held lock
	 * @param guards the other keys that are held
	 * @param stack the stack trace of the acquisition
	 */
	private record Order(String first, String then, String names, String text, String owner, Set<String> guards,
			List<StackTraceElement> stack) {

		private static final int MAX_FRAMES = 100;

		static Order of(Hold held, Hold requested, List<Hold> around, Function<Hold, String> label) {
			String text = "'%s' (key %s), then '%s' (key %s), by thread '%s':".formatted(held.name, held.key,
					requested.name, requested.key, Thread.currentThread().getName());
			Set<String> guards = around.stream()
				.map(Hold::key)
				.filter((key) -> !key.equals(held.key))
				.collect(Collectors.toUnmodifiableSet());
			return new Order(label.apply(held), label.apply(requested), held.name + '\n' + requested.name,
					LogSafe.of(text), held.owner, guards, requested.call.stack().stream().limit(MAX_FRAMES).toList());
		}

		String describe() {
			String line = System.lineSeparator();
			return this.stack.stream()
				.map((frame) -> "\tat " + frame + line)
				.collect(Collectors.joining("", this.text + line, ""));
		}

	}

}
