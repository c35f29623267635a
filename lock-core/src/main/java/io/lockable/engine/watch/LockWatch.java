package io.lockable.engine.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lockable.LockDeadlockException;
import io.lockable.LockEvent;
import io.lockable.LockStoreException;
import io.lockable.engine.inspection.DeadlockAction;
import io.lockable.engine.inspection.InspectedLock;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.inspection.LockSurvey;
import io.lockable.engine.inspection.LockWaiting;
import io.lockable.engine.runtime.Timer;
import io.lockable.engine.shell.EngineParts;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LockObserver;
import io.lockable.engine.shell.PendingAcquisition;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the calls of this instance that wait for more than a second: it finds the
 * holders of their locks, and deadlocks. Also answers the same questions of other
 * instances.
 *
 * <p>
 * While the instance uses locks, it looks at them once a second, on a thread of its own.
 * Without a wait or a hold of a second, it sends no command. A hold of a second starts
 * the subscription, because other instances may ask for it.
 *
 * <p>
 * A deadlock is reported once, by its youngest call, and after a second search has found
 * the same calls and holds: all of them then existed in the time between the two.
 */
public final class LockWatch extends Timer.Task implements LockObserver {

	private static final Logger log = LoggerFactory.getLogger(LockWatch.class);

	private static final long LONG = TimeUnit.SECONDS.toNanos(1);

	private static final long INTERVAL = LONG;

	// The next look follows later after a look at very many calls.
	private static final int CALLS_PER_INTERVAL = 10_000;

	private static final int MAX_KEYS = 10;

	private static final int MAX_SEARCHES = 1_000;

	private static final long RENEWED = TimeUnit.SECONDS.toNanos(5);

	private static final long FORGOTTEN = TimeUnit.SECONDS.toNanos(10);

	private final KeyShells shells;

	private final EngineParts parts;

	private final DeadlockAction action;

	private final LocalLocks locks;

	private final Inquiries inquiries;

	private final AtomicBoolean armed = new AtomicBoolean();

	private volatile long lookAt;

	// The last known holders of locks for which calls wait or have just waited: the
	// exception of a call is created after its wait. A look removes old ones.
	private final Map<String, Known> known = new ConcurrentHashMap<>();

	// By owner token: calls whose search runs, and the last circle that each has
	// reported. Another circle of the same call is another deadlock.
	private final Set<String> searching = ConcurrentHashMap.newKeySet();

	private final Map<String, List<Edge>> reported = new ConcurrentHashMap<>();

	private int rotation;

	/**
	 * Creates a watch, to be added to the timer.
	 * @param shells the locks
	 * @param instance the name of this instance, for messages; called on first use,
	 * because it may resolve a host
	 * @param action the reaction to a deadlock
	 */
	public LockWatch(KeyShells shells, Supplier<String> instance, DeadlockAction action) {
		super(5);
		this.shells = shells;
		this.parts = shells.parts();
		this.action = action;
		this.locks = new LocalLocks(shells, instance);
		this.inquiries = new Inquiries(shells.store(), this.parts.runtime(), this.locks);
		this.lookAt = this.parts.timer().never();
	}

	// The time of the next look

	@Override
	public void entered() {
		if (!this.armed.get() && this.armed.compareAndSet(false, true)) {
			lookIn(LONG);
		}
	}

	private void lookIn(long nanos) {
		this.lookAt = this.shells.now() + nanos;
		this.parts.timer().wakeAt(this.lookAt);
	}

	@Override
	public long dueAt() {
		return this.lookAt;
	}

	@Override
	public void due(long now) {
		// Until this look has ended.
		this.lookAt = this.parts.timer().never();
		try {
			this.parts.runtime().executeBlocking("lockable-watch", this::lookAndRest);
		}
		catch (RejectedExecutionException ex) {
			log.debug("The lock engine is shut down", ex);
		}
		catch (OutOfMemoryError ex) {
			lookIn(INTERVAL);
		}
	}

	private void lookAndRest() {
		int calls = 0;
		try {
			calls = look();
		}
		catch (RuntimeException ex) {
			log.debug("A look at long waits failed", LogSafe.of(ex));
		}
		finally {
			if (this.shells.isEmpty()) {
				this.armed.set(false);
				// A key that has entered meanwhile may have found the watch armed.
				if (!this.shells.isEmpty()) {
					entered();
				}
			}
			else {
				lookIn(INTERVAL * (1 + calls / CALLS_PER_INTERVAL));
			}
		}
	}

	private int look() {
		AtomicInteger calls = new AtomicInteger();
		long now = this.shells.now();
		this.known.values().removeIf((each) -> each.isForgotten(now));
		Set<String> waited = new LinkedHashSet<>();
		List<PendingAcquisition> nested = this.locks.look(LONG, (pending) -> {
			calls.incrementAndGet();
			if (waited.size() < MAX_KEYS && !isKnown(pending, now)) {
				waited.add(pending.key());
			}
		});
		if (this.shells.store().isMessaging() && (!waited.isEmpty()
				|| this.shells.leases().stream().anyMatch((lease) -> lease.times().held(now).toNanos() >= LONG))) {
			this.shells.subscribe();
		}
		Holders holders = holders();
		waited.forEach((key) -> holders.find(key).thenAccept((found) -> {
			String text = found.describe();
			if (text != null) {
				this.known.put(key, new Known(text, now));
			}
		}));
		this.reported.keySet().retainAll(nested.stream().map(PendingAcquisition::owner).collect(Collectors.toSet()));
		if (this.action != DeadlockAction.OFF && !nested.isEmpty()) {
			// Begins with another call each time, because the searches share limits.
			this.rotation = (this.rotation + Math.min(MAX_SEARCHES, nested.size() - 1)) % nested.size();
			IntStream.range(0, Math.min(nested.size(), MAX_SEARCHES))
				.mapToObj((index) -> nested.get((index + this.rotation) % nested.size()))
				.forEach((pending) -> search(pending, holders));
		}
		return calls.get();
	}

	/**
	 * Returns whether the holder was asked for during a wait, and not long ago.
	 */
	private boolean isKnown(PendingAcquisition pending, long now) {
		Known last = this.known.get(pending.key());
		return last != null && last.at() - pending.startedAt() > 0 && now - last.at() < RENEWED;
	}

	private Holders holders() {
		return new Holders(this.shells.store(), this.locks, this.inquiries);
	}

	// Deadlocks

	private void search(PendingAcquisition pending, Holders holders) {
		String owner = pending.owner();
		if (!this.searching.add(owner)) {
			return;
		}
		Wait wait = this.locks.wait(pending);
		new Chase(wait, holders).start()
			.thenCompose((circle) -> circle.isEmpty() || isReported(owner, circle)
					? CompletableFuture.completedFuture(List.<Edge>of()) : confirm(wait, circle))
			.whenComplete((circle, failure) -> {
				try {
					if (failure != null) {
						log.debug("The search for a deadlock failed", LogSafe.of(failure));
					}
					else if (!circle.isEmpty() && !pending.outcome().isDone()) {
						this.reported.put(owner, circle);
						report(pending, circle);
					}
				}
				finally {
					this.searching.remove(owner);
				}
			});
	}

	private CompletionStage<List<Edge>> confirm(Wait wait, List<Edge> circle) {
		return new Chase(wait, holders()).start().thenApply((again) -> isSame(circle, again) ? again : List.of());
	}

	private boolean isReported(String owner, List<Edge> circle) {
		List<Edge> last = this.reported.get(owner);
		return last != null && isSame(last, circle);
	}

	private static boolean isSame(List<Edge> one, List<Edge> other) {
		return one.size() == other.size()
				&& IntStream.range(0, one.size()).allMatch((i) -> one.get(i).isSameAs(other.get(i)));
	}

	private void report(PendingAcquisition pending, List<Edge> circle) {
		boolean certain = circle.stream().allMatch((edge) -> edge.hold().certain());
		boolean breaks = certain && this.action == DeadlockAction.BREAK;
		List<String> calls = Describe.calls(circle);
		String text = "%s of %d calls: %s".formatted(certain ? "Deadlock" : "Possible deadlock", calls.size(),
				String.join("; ", calls));
		log.warn("{}. {}", text, breaks ? "The first of these calls fails, so that the others continue"
				: "Acquire these locks in the same order everywhere");
		this.parts.notifier()
			.accept(new LockEvent.Deadlocked(pending.key(), pending.options().name(), calls, certain, breaks));
		if (breaks) {
			this.shells.fail(pending, new LockDeadlockException(
					"Lock '%s' was not acquired, because the call is part of a deadlock. ".formatted(pending.key())
							+ text));
		}
	}

	// Questions

	@Override
	public @Nullable String knownHolder(String key) {
		Known last = this.known.get(key);
		return (last != null && !last.isForgotten(this.shells.now())) ? last.text() : null;
	}

	@Override
	public void received(String message) {
		this.inquiries.received(message);
	}

	/**
	 * Looks up a lock in the store, and asks the instances of its holders.
	 * @param key the full name of the lock
	 * @return the lock; fails with the store
	 */
	public CompletionStage<InspectedLock> inspect(String key) {
		return subscribed().thenCompose((active) -> holders().inspect(key)).thenApply((found) -> {
			List<@Nullable LockInfo> infos = new ArrayList<>();
			found.holds().forEach((hold) -> infos.add((hold != null) ? hold.info() : null));
			return new InspectedLock(found.lock(), infos);
		});
	}

	/**
	 * Asks all instances for their locks and waiting calls.
	 * @param timeout the longest wait for answers
	 * @return the answers
	 */
	public CompletionStage<LockSurvey> survey(Duration timeout) {
		LockSurvey own = own(null);
		if (!this.shells.store().isMessaging()) {
			return CompletableFuture.completedFuture(own);
		}
		return subscribed().thenCompose((active) -> {
			Question question = this.inquiries.askAll(timeout.toNanos());
			return question.answer().thenApply((reports) -> {
				List<LockSurvey.Instance> all = new ArrayList<>(own.instances());
				reports.forEach((report) -> all.add(instance(report)));
				return new LockSurvey(all, question.silent(), null);
			});
		});
	}

	/**
	 * Returns the locks and waiting calls of this instance only.
	 * @param failure the reason why the others are unknown, or {@code null}
	 * @return the answer of this instance
	 */
	public LockSurvey own(@Nullable LockStoreException failure) {
		return new LockSurvey(List.of(instance(this.locks.report(Inquiries.MAX_LOCKS))), 0, failure);
	}

	private CompletionStage<Boolean> subscribed() {
		CompletableFuture<Boolean> ready = new CompletableFuture<>();
		if (!this.shells.store().isMessaging()) {
			return CompletableFuture.completedFuture(false);
		}
		this.shells.subscribe().whenComplete((active, failure) -> ready.complete(true));
		this.parts.runtime()
			.scheduleUnless(ready, () -> this.shells.store().dispatch(() -> ready.complete(false)),
					this.shells.now() + LONG);
		return ready;
	}

	/**
	 * Returns the name of this instance. The first call may resolve a host.
	 * @return the name
	 */
	public String instance() {
		return this.locks.instance();
	}

	/**
	 * Returns the locks that this instance holds.
	 * @return the locks, in no order
	 */
	public List<LockInfo> holdings() {
		return this.locks.holdings();
	}

	/**
	 * Returns the waiting calls of this instance.
	 * @return the calls, the longest wait first
	 */
	public List<LockWaiting> waiting() {
		return this.locks.waiting();
	}

	private static LockSurvey.Instance instance(Report report) {
		return new LockSurvey.Instance(report.instance(), report.complete(),
				report.holds().stream().map(Hold::info).toList(), report.waits().stream().map(Wait::info).toList());
	}

	/**
	 * The last known holder of a lock.
	 *
	 * @param text its description
	 * @param at the time of the question
	 */
	private record Known(String text, long at) {

		boolean isForgotten(long now) {
			return now - this.at > FORGOTTEN;
		}

	}

}
