package io.lockable.spring.call;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.LockContext;
import io.lockable.LockLostException;
import io.lockable.spring.call.LockAcquirer.LockId;
import io.lockable.spring.call.SharedLocks.SharedLock;
import io.lockable.spring.metadata.LockRequest;
import io.lockable.spring.request.RequestId;
import io.lockable.spring.request.RequestIdThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One subscription to a locked publisher.
 *
 * <p>
 * The locks are released before the subscriber receives the completion signal, so that it
 * can acquire them at once. A cancellation during the grant of the locks reaches no
 * callback of {@code usingWhen}. {@code doFinally} handles it.
 *
 * <p>
 * Grant, start and end race, because a subscriber may cancel at any moment.
 * {@link AsyncLocking} decides between the grant and a cancellation. After a grant, the
 * phase decides. It only moves forward:
 * <ul>
 * <li><b>granted</b>: the locks are held, but the method has not run.</li>
 * <li><b>starting</b>: the method runs. A cancellation here leaves the release to the
 * starting thread, because the method cannot be stopped.</li>
 * <li><b>running</b>: the publisher is about to be subscribed to, so {@code usingWhen}
 * reports its end, including a cancellation.</li>
 * <li><b>ended</b>: the transition from granted or running to this phase has released the
 * locks, and the method does not run anymore.</li>
 * </ul>
 */
final class LockedSubscription {

	private final PublisherCall call;

	private final Map<LockId, SharedLock> outer;

	private final AsyncLocking locking;

	private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.GRANTED);

	private volatile @Nullable LockLostException loss;

	LockedSubscription(PublisherCall call, List<LockRequest> requests, ContextView context) {
		this.call = call;
		this.outer = context.<Map<LockId, SharedLock>>getOrEmpty(call.locks()).orElse(Map.of());
		this.locking = new AsyncLocking(call.locks(), requests, this.outer, requestId(context));
	}

	// The context always has the id; whether threads have it depends on the Reactor setup
	private static @Nullable String requestId(ContextView context) {
		Object id = context.getOrDefault(RequestIdThreadLocalAccessor.KEY, null);
		return (id instanceof String text && RequestId.isValid(text)) ? text : RequestId.current();
	}

	/**
	 * Returns the publisher to subscribe to.
	 * @return the publisher
	 */
	Flux<?> flux() {
		return Flux.usingWhen(granted(), this::work, this::complete, (locks, failure) -> cancel(locks), this::cancel)
			.onErrorMap(this::unwrap)
			.doFinally((signal) -> abandon());
	}

	/**
	 * Returns a publisher of the held locks, or of none if one is refused. It publishes
	 * on a thread that belongs to neither the engine nor the client, because user code
	 * continues there.
	 */
	private Mono<SharedLocks> granted() {
		return Mono.fromFuture(this.locking::start).publishOn(Schedulers.parallel());
	}

	private Flux<?> work(SharedLocks locks) {
		Flux<?> flux = Flux.from(run(locks));
		for (HeldLock each : locks.held()) {
			flux = each.interruptsWhenLost() ? untilLost(flux, each) : flux;
		}
		return flux.contextWrite((outside) -> within(outside, locks));
	}

	private Publisher<?> run(SharedLocks locks) {
		if (this.locking.refused() != null) {
			return this.call.run(this.locking.refused());
		}
		if (!this.phase.compareAndSet(Phase.GRANTED, Phase.STARTING)) {
			return Mono.empty();
		}
		LockContext outside = LockContext.replace(HeldLock.context(locks.held()));
		Publisher<?> running;
		try {
			running = this.call.run(null);
		}
		finally {
			LockContext.replace(outside);
		}
		if (!this.phase.compareAndSet(Phase.STARTING, Phase.RUNNING)) {
			locks.leave(true);
			return Mono.empty();
		}
		return running;
	}

	/**
	 * Adds the locks to the context of the work, for nested calls and for the
	 * {@link LockContext}.
	 */
	private Context within(Context outside, SharedLocks locks) {
		if (locks.locks().isEmpty()) {
			return outside;
		}
		Map<LockId, SharedLock> all = new HashMap<>(this.outer);
		locks.locks()
			.stream()
			.filter((lock) -> !lock.held().request().isSemaphore())
			.forEach((lock) -> all.put(this.call.locks().id(lock.held().request()), lock));
		return outside.put(this.call.locks(), all).put(LockContext.class, HeldLock.context(locks.held()));
	}

	// An error of the other publisher would end the flux without cancelling it
	private static <T> Flux<T> untilLost(Flux<T> flux, HeldLock lock) {
		AtomicBoolean lost = new AtomicBoolean();
		Mono<?> loss = Mono.fromFuture(() -> lock.lease().lost().toCompletableFuture())
			.publishOn(Schedulers.parallel())
			.doOnNext((event) -> lost.set(true));
		return flux.takeUntilOther(loss)
			.concatWith(Mono.defer(() -> lost.get() ? Mono.error(lock.lost()) : Mono.empty()));
	}

	/**
	 * Releases the locks of successful work.
	 * @return completes after the release. It fails after a loss of a lock with
	 * {@code OnLost.FAIL}, which only the server's answer shows
	 */
	private Mono<Void> complete(SharedLocks locks) {
		CompletableFuture<@Nullable LockLostException> left = end(locks);
		return locks.failsWhenLost() ? Mono.fromFuture(left).publishOn(Schedulers.parallel()).flatMap(this::fail)
				: Mono.empty();
	}

	private Mono<Void> fail(LockLostException lost) {
		this.loss = lost;
		return Mono.error(lost);
	}

	// Reactor may wrap a failure of complete()
	private Throwable unwrap(Throwable failure) {
		LockLostException lost = this.loss;
		return (lost != null && failure.getCause() == lost) ? lost : failure;
	}

	private Mono<Void> cancel(SharedLocks locks) {
		end(locks);
		return Mono.empty();
	}

	/**
	 * Ends the subscription after its work has completed or was cancelled. Idempotent.
	 * @return completes after the server's answer
	 */
	private CompletableFuture<@Nullable LockLostException> end(SharedLocks locks) {
		Phase last = this.phase.getAndSet(Phase.ENDED);
		return ((last == Phase.RUNNING) ? locks : new SharedLocks(List.of())).leave(true);
	}

	/**
	 * Ends the subscription if it has no work yet. Work that another thread is
	 * subscribing to is cancelled there, and releases the locks afterwards.
	 */
	private void abandon() {
		Phase last = this.phase.getAndUpdate((now) -> (now == Phase.RUNNING) ? now : Phase.ENDED);
		this.locking.cancel(false);
		if (last == Phase.GRANTED && !this.locking.isCompletedExceptionally()) {
			this.locking.join().leave(false);
		}
	}

	private enum Phase {

		GRANTED, STARTING, RUNNING, ENDED

	}

}
