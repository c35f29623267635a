package io.lockable.spring.call;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.lockable.spring.call.LockAcquirer.LockId;
import io.lockable.spring.call.SharedLocks.SharedLock;
import io.lockable.spring.metadata.LockRequest;
import io.lockable.spring.request.RequestId;
import io.lockable.spring.request.RequestIdThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Makes the publisher that a call returns. Each subscription is a
 * {@link LockedSubscription} of its own.
 *
 * <p>
 * The locks are released before the end is signalled to the subscriber, so that it can
 * lock them at once; hence the value of a {@code Mono} is passed on only then. What is
 * cancelled while the locks are being granted ends up in neither callback of
 * {@code usingWhen}: {@code doFinally} catches that.
 */
final class LockedPublisher {

	private final LockAcquirer acquirer;

	private final List<LockRequest> requests;

	private final Work work;

	private final Function<LockRequest, Publisher<?>> refused;

	/**
	 * Creates a locking.
	 * @param acquirer acquires the locks
	 * @param requests which locks, in order
	 * @param work creates the publisher that runs under the locks
	 * @param refused the publisher to use when another owner holds a lock
	 */
	LockedPublisher(LockAcquirer acquirer, List<LockRequest> requests, Work work,
			Function<LockRequest, Publisher<?>> refused) {
		this.acquirer = acquirer;
		this.requests = requests;
		this.work = work;
		this.refused = refused;
	}

	Mono<?> mono() {
		return Mono.deferContextual((context) -> {
			LockedSubscription subscribed = subscribe(context);
			return Mono
				.usingWhen(subscribed.granted(), LockedSubscription::mono, LockedSubscription::complete,
						(granted, failure) -> granted.cancel(), LockedSubscription::cancel)
				.onErrorMap(subscribed::unwrap)
				.doFinally((signal) -> subscribed.abandon());
		});
	}

	Flux<?> flux() {
		return Flux.deferContextual((context) -> {
			LockedSubscription subscribed = subscribe(context);
			return Flux
				.usingWhen(subscribed.granted(), LockedSubscription::flux, LockedSubscription::complete,
						(granted, failure) -> granted.cancel(), LockedSubscription::cancel)
				.onErrorMap(subscribed::unwrap)
				.doFinally((signal) -> subscribed.abandon());
		});
	}

	private LockedSubscription subscribe(ContextView context) {
		Map<LockId, SharedLock> outer = context.<Map<LockId, SharedLock>>getOrEmpty(this.acquirer).orElse(Map.of());
		return new LockedSubscription(this.acquirer, this.requests, outer, this.work, this.refused, requestId(context));
	}

	// Which threads know it depends on how Reactor is set up; the context always does
	private static @Nullable String requestId(ContextView context) {
		Object id = context.getOrDefault(RequestIdThreadLocalAccessor.KEY, null);
		return (id instanceof String text && RequestId.isValid(text)) ? text : RequestId.current();
	}

	/**
	 * Runs the method.
	 */
	interface Work {

		Publisher<?> run() throws Throwable;

	}

}
