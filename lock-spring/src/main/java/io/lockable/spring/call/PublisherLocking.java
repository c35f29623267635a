package io.lockable.spring.call;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.lockable.spring.call.LockSource.LockId;
import io.lockable.spring.call.SharedLocks.SharedLock;
import io.lockable.spring.metadata.Guard;
import io.lockable.spring.request.RequestId;
import io.lockable.spring.request.RequestIdThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Makes the publisher that a call returns. Each subscription is a {@link Subscribed} of
 * its own.
 *
 * <p>
 * The locks are released before the end is signalled to the subscriber, so that it can
 * lock them at once; hence the value of a {@code Mono} is passed on only then. What is
 * cancelled while the locks are being granted ends up in neither callback of
 * {@code usingWhen}: {@code doFinally} catches that.
 */
final class PublisherLocking {

	private final LockSource source;

	private final List<Guard> guards;

	private final Work work;

	private final Function<Guard, Publisher<?>> refused;

	/**
	 * Creates a locking.
	 * @param source gives the locks
	 * @param guards which locks, in order
	 * @param work gives the publisher that the locks are for
	 * @param refused gives the publisher to use when somebody else has a lock
	 */
	PublisherLocking(LockSource source, List<Guard> guards, Work work, Function<Guard, Publisher<?>> refused) {
		this.source = source;
		this.guards = guards;
		this.work = work;
		this.refused = refused;
	}

	Mono<?> mono() {
		return Mono.deferContextual((context) -> {
			Subscribed subscribed = subscribe(context);
			return Mono
				.usingWhen(subscribed.granted(), Subscribed::mono, Subscribed::complete,
						(granted, failure) -> granted.cancel(), Subscribed::cancel)
				.onErrorMap(subscribed::unwrap)
				.doFinally((signal) -> subscribed.abandon());
		});
	}

	Flux<?> flux() {
		return Flux.deferContextual((context) -> {
			Subscribed subscribed = subscribe(context);
			return Flux
				.usingWhen(subscribed.granted(), Subscribed::flux, Subscribed::complete,
						(granted, failure) -> granted.cancel(), Subscribed::cancel)
				.onErrorMap(subscribed::unwrap)
				.doFinally((signal) -> subscribed.abandon());
		});
	}

	private Subscribed subscribe(ContextView context) {
		Map<LockId, SharedLock> outer = context.<Map<LockId, SharedLock>>getOrEmpty(this.source).orElse(Map.of());
		return new Subscribed(this.source, this.guards, outer, this.work, this.refused, requestId(context));
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
