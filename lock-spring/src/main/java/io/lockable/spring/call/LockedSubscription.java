package io.lockable.spring.call;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.lockable.LockContext;
import io.lockable.LockContextHolder;
import io.lockable.LockLostException;
import io.lockable.spring.call.LockAcquirer.LockId;
import io.lockable.spring.call.SharedLocks.SharedLock;
import io.lockable.spring.metadata.LockRequest;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * One subscription to a locked publisher.
 *
 * <p>
 * Grant, start and end race: a subscriber may cancel at any moment. The phase decides,
 * and only ever moves on:
 * <ul>
 * <li><b>waiting</b>: nothing is held here. A grant moves to granted, else gives back
 * what it brings.</li>
 * <li><b>granted</b>: held, but the method was not run yet.</li>
 * <li><b>starting</b>: the method is being run. Who ends it here leaves the release to
 * the starting thread, as nothing can stop that.</li>
 * <li><b>running</b>: its publisher is going to be subscribed to, so {@code usingWhen}
 * notifies this of its end, also by cancellation.</li>
 * <li><b>ended</b>: the transition from granted or running to here released the locks,
 * and the method does not run any more.</li>
 * </ul>
 */
final class LockedSubscription implements AsyncLocking.Listener {

	private final AsyncLocking locking;

	private final LockAcquirer acquirer;

	private final Map<LockId, SharedLock> outer;

	private final LockedPublisher.Work work;

	private final Function<LockRequest, Publisher<?>> notAcquired;

	private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

	private volatile SharedLocks locks = new SharedLocks(List.of());

	private volatile @Nullable MonoSink<LockedSubscription> sink;

	private volatile @Nullable LockRequest refused;

	private volatile @Nullable LockLostException loss;

	LockedSubscription(LockAcquirer acquirer, List<LockRequest> requests, Map<LockId, SharedLock> outer,
			LockedPublisher.Work work, Function<LockRequest, Publisher<?>> notAcquired, @Nullable String requestId) {
		this.acquirer = acquirer;
		this.outer = outer;
		this.work = work;
		this.notAcquired = notAcquired;
		this.locking = new AsyncLocking(acquirer, requests, outer, this, requestId);
	}

	/**
	 * Returns a publisher that emits this when the locks are held or refused: on a thread
	 * that is neither the engine's nor the client's, as the work of users goes on there.
	 * @return the grant
	 */
	Mono<LockedSubscription> granted() {
		return Mono.<LockedSubscription>create((created) -> {
			this.sink = created;
			created.onCancel(this.locking::cancel);
			this.locking.start();
		}).publishOn(Schedulers.parallel());
	}

	@Override
	public void acquired(SharedLocks acquired) {
		this.locks = acquired;
		if (this.phase.compareAndSet(Phase.WAITING, Phase.GRANTED)) {
			emit();
		}
		else {
			acquired.leaveUnused();
		}
	}

	@Override
	public void refused(LockRequest request) {
		this.refused = request;
		emit();
	}

	@Override
	public void failed(Throwable failure) {
		MonoSink<LockedSubscription> waiting = this.sink;
		if (waiting != null) {
			waiting.error(failure);
		}
	}

	private void emit() {
		MonoSink<LockedSubscription> waiting = this.sink;
		if (waiting != null) {
			waiting.success(this);
		}
	}

	/**
	 * Runs a method that returns one value at most.
	 * @return its publisher; empty if the subscription is cancelled already
	 */
	Mono<?> mono() {
		Mono<?> mono = Mono.fromDirect(run());
		for (HeldLock each : this.locks.held()) {
			mono = each.interruptsWhenLost() ? Mono.firstWithSignal(mono, loss(each)) : mono;
		}
		return mono.contextWrite(this::within);
	}

	/**
	 * Runs a method that returns any number of values.
	 * @return its publisher; empty if the subscription is cancelled already
	 */
	Flux<?> flux() {
		Flux<?> flux = Flux.from(run());
		for (HeldLock each : this.locks.held()) {
			flux = each.interruptsWhenLost() ? untilLost(flux, each) : flux;
		}
		return flux.contextWrite(this::within);
	}

	private Publisher<?> run() {
		LockRequest request = this.refused;
		if (request != null) {
			return this.notAcquired.apply(request);
		}
		if (!this.phase.compareAndSet(Phase.GRANTED, Phase.STARTING)) {
			return Mono.empty();
		}
		Publisher<?> running = start();
		if (!this.phase.compareAndSet(Phase.STARTING, Phase.RUNNING)) {
			this.locks.leave();
			return Mono.empty();
		}
		return running;
	}

	private Publisher<?> start() {
		LockContext outside = LockContextHolder.replace(HeldLock.context(this.locks.held()));
		try {
			return this.work.run();
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
		finally {
			LockContextHolder.replace(outside);
		}
	}

	/**
	 * Puts the locks into the context of the work, for nested calls and for the
	 * {@link LockContext}.
	 */
	private Context within(Context outside) {
		if (this.locks.locks().isEmpty()) {
			return outside;
		}
		Map<LockId, SharedLock> all = new HashMap<>(this.outer);
		this.locks.locks()
			.stream()
			.filter((lock) -> !lock.held().request().isSemaphore())
			.forEach((lock) -> all.put(this.acquirer.id(lock.held().request()), lock));
		return outside.put(this.acquirer, all).put(LockContext.class, HeldLock.context(this.locks.held()));
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

	private static <T> Mono<T> loss(HeldLock lock) {
		return Mono.fromFuture(() -> lock.lease().lost().toCompletableFuture())
			.publishOn(Schedulers.parallel())
			.flatMap((loss) -> Mono.error(lock.lost()));
	}

	/**
	 * Releases the locks of work that succeeded.
	 * @return completes when they are; or fails because of a loss that must not go
	 * unnoticed, which only the server's answer can tell
	 */
	Mono<Void> complete() {
		boolean strict = this.locks.failsWhenLost();
		CompletableFuture<@Nullable LockLostException> left = end();
		return strict ? Mono.fromFuture(left).publishOn(Schedulers.parallel()).flatMap(this::fail) : Mono.empty();
	}

	private Mono<Void> fail(LockLostException lost) {
		this.loss = lost;
		return Mono.error(lost);
	}

	/**
	 * Unwraps a failure of {@link #complete}.
	 * @param failure the failure, perhaps wrapped by Reactor
	 * @return the failure for the subscriber
	 */
	Throwable unwrap(Throwable failure) {
		LockLostException lost = this.loss;
		return (lost != null && failure.getCause() == lost) ? lost : failure;
	}

	Mono<Void> cancel() {
		end();
		return Mono.empty();
	}

	/**
	 * Ends the subscription when its work has ended or was cancelled. Does nothing the
	 * second time.
	 * @return completes when the server has answered
	 */
	private CompletableFuture<@Nullable LockLostException> end() {
		Phase last = this.phase.getAndSet(Phase.ENDED);
		return (last == Phase.RUNNING) ? this.locks.leave() : SharedLocks.nothingLost();
	}

	/**
	 * Ends the subscription if there is no work yet. Work that is just being subscribed
	 * to on another thread is cancelled there, and released only then.
	 */
	void abandon() {
		Phase last = this.phase.getAndUpdate((now) -> (now == Phase.RUNNING) ? now : Phase.ENDED);
		if (last == Phase.WAITING) {
			this.locking.cancel();
		}
		else if (last == Phase.GRANTED) {
			this.locks.leaveUnused();
		}
	}

	private enum Phase {

		WAITING, GRANTED, STARTING, RUNNING, ENDED

	}

}
