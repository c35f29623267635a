package io.lockable.spring.call;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.LockContext;
import io.lockable.LockContextHolder;
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
 * The locks are released before the end is signalled to the subscriber, so that it can
 * lock them at once. What is cancelled while the locks are being granted ends up in
 * neither callback of {@code usingWhen}: {@code doFinally} catches that.
 *
 * <p>
 * Grant, start and end race: a subscriber may cancel at any moment. {@link AsyncLocking}
 * decides between the grant and a cancellation. After a grant the phase decides, and only
 * ever moves on:
 * <ul>
 * <li><b>granted</b>: held, but the method was not run yet.</li>
 * <li><b>starting</b>: the method is being run. Who ends it here leaves the release to
 * the starting thread, as nothing can stop that.</li>
 * <li><b>running</b>: its publisher is going to be subscribed to, so {@code usingWhen}
 * notifies this of its end, also by cancellation.</li>
 * <li><b>ended</b>: the transition from granted or running to here released the locks,
 * and the method does not run any more.</li>
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

	// Which threads know it depends on how Reactor is set up; the context always does
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
	 * Returns a publisher of the locks that are held, none if one is refused: on a thread
	 * that is neither the engine's nor the client's, as the work of users goes on there.
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
		LockContext outside = LockContextHolder.replace(HeldLock.context(locks.held()));
		Publisher<?> running;
		try {
			running = this.call.run(null);
		}
		finally {
			LockContextHolder.replace(outside);
		}
		if (!this.phase.compareAndSet(Phase.STARTING, Phase.RUNNING)) {
			locks.leave();
			return Mono.empty();
		}
		return running;
	}

	/**
	 * Puts the locks into the context of the work, for nested calls and for the
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
	 * Releases the locks of work that succeeded.
	 * @return completes when they are; or fails because of a loss that must not go
	 * unnoticed, which only the server's answer can tell
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

	// A failure of complete() may be wrapped by Reactor
	private Throwable unwrap(Throwable failure) {
		LockLostException lost = this.loss;
		return (lost != null && failure.getCause() == lost) ? lost : failure;
	}

	private Mono<Void> cancel(SharedLocks locks) {
		end(locks);
		return Mono.empty();
	}

	/**
	 * Ends the subscription when its work has ended or was cancelled. Does nothing the
	 * second time.
	 * @return completes when the server has answered
	 */
	private CompletableFuture<@Nullable LockLostException> end(SharedLocks locks) {
		Phase last = this.phase.getAndSet(Phase.ENDED);
		return (last == Phase.RUNNING) ? locks.leave() : SharedLocks.nothingLost();
	}

	/**
	 * Ends the subscription if there is no work yet. Work that is just being subscribed
	 * to on another thread is cancelled there, and released only then.
	 */
	private void abandon() {
		Phase last = this.phase.getAndUpdate((now) -> (now == Phase.RUNNING) ? now : Phase.ENDED);
		this.locking.cancel(false);
		if (last == Phase.GRANTED && !this.locking.isCompletedExceptionally()) {
			this.locking.join().leaveUnused();
		}
	}

	private enum Phase {

		GRANTED, STARTING, RUNNING, ENDED

	}

}
