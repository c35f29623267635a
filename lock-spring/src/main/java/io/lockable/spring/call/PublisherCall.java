package io.lockable.spring.call;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;

import io.lockable.LockException;
import io.lockable.spring.call.LockedInvoker.Body;
import io.lockable.spring.metadata.LockOperation;
import io.lockable.spring.metadata.LockRequest;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Calls of a method whose work is done when the returned publisher completes: the method
 * is run, and its publisher subscribed to, for each subscription anew and under locks of
 * its own. The locks are those that the arguments of the call name, at the time of the
 * call.
 */
final class PublisherCall extends LockedCall {

	private static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private final @Nullable ReactiveAdapter adapter;

	private final boolean single;

	private PublisherCall(LockOperation operation, LockAcquirer locks, @Nullable ReactiveAdapter adapter,
			boolean single) {
		super(operation, locks);
		this.adapter = adapter;
		this.single = single;
	}

	static PublisherCall of(LockOperation operation, LockAcquirer locks, Method method) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			// Both ends of a suspending function are publishers to an aspect
			boolean flow = FLOW.equals(new MethodParameter(method, -1).getParameterType().getName());
			return new PublisherCall(operation, locks, null, !flow);
		}
		ReactiveAdapter adapter = Objects
			.requireNonNull(ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType()));
		return new PublisherCall(operation, locks, adapter, !adapter.isMultiValue());
	}

	@Override
	@Nullable Object invoke(Object target, @Nullable Object[] arguments, Body body) throws Throwable {
		List<LockRequest> requests;
		try {
			requests = requests(target, arguments);
		}
		catch (LockException ex) {
			return fromPublisher(this.single ? Mono.error(ex) : Flux.error(ex));
		}
		if (requests.isEmpty()) {
			return body.run();
		}
		LockedPublisher locking = new LockedPublisher(locks(), requests, () -> toPublisher(body.run()),
				(request) -> refused(request, target, arguments));
		return fromPublisher(this.single ? locking.mono() : locking.flux());
	}

	private Publisher<?> refused(LockRequest request, Object target, @Nullable Object[] arguments) {
		try {
			return toPublisher(notAcquired(request, target, arguments));
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private Publisher<?> toPublisher(@Nullable Object result) {
		if (result == null) {
			return Mono.empty();
		}
		if (this.adapter != null) {
			return this.adapter.toPublisher(result);
		}
		return (result instanceof Publisher<?> publisher) ? publisher : Mono.just(result);
	}

	private Object fromPublisher(Publisher<?> publisher) {
		return (this.adapter != null) ? this.adapter.fromPublisher(publisher) : publisher;
	}

}
