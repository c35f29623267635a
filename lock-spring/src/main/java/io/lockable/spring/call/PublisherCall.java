package io.lockable.spring.call;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;

import io.lockable.LockException;
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
 * Calls of a method whose work is done when the returned publisher completes. Each
 * subscription runs the method again, and subscribes to its publisher under its own
 * locks. The arguments at the time of the call determine the locks.
 *
 * @param call the call
 * @param adapter converts the result; {@code null} for a suspending function
 */
record PublisherCall(LockedCall call, @Nullable ReactiveAdapter adapter) {

	private static final String FLOW = "kotlinx.coroutines.flow.Flow";

	static @Nullable Object invoke(LockedCall call) throws Throwable {
		Method method = call.operation().implementation();
		if (KotlinDetector.isSuspendingFunction(method)) {
			// An aspect sees publishers on both sides of a suspending function
			boolean flow = FLOW.equals(new MethodParameter(method, -1).getParameterType().getName());
			return new PublisherCall(call, null).invoke(flow);
		}
		ReactiveAdapter adapter = Objects
			.requireNonNull(ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType()));
		return new PublisherCall(call, adapter).invoke(adapter.isMultiValue());
	}

	private @Nullable Object invoke(boolean several) throws Throwable {
		List<LockRequest> requests;
		try {
			requests = this.call.requests();
		}
		catch (LockException ex) {
			return fromPublisher(several ? Flux.error(ex) : Mono.error(ex));
		}
		if (requests.isEmpty()) {
			return this.call.run();
		}
		Flux<?> flux = Flux.deferContextual((context) -> new LockedSubscription(this, requests, context).flux());
		// A Mono emits its value after the release of the locks
		return fromPublisher(several ? flux : flux.singleOrEmpty());
	}

	LockAcquirer locks() {
		return this.call.locks();
	}

	/**
	 * Runs the method, or its replacement.
	 * @param refused the lock that another owner holds, or {@code null}
	 * @return the publisher to subscribe to, possibly of an error
	 */
	Publisher<?> run(@Nullable LockRequest refused) {
		try {
			return toPublisher((refused != null) ? this.call.notAcquired(refused) : this.call.run());
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
		if (result instanceof Publisher<?> publisher) {
			return publisher;
		}
		// A plain function that replaces a suspending one may return a Flow
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, result);
		return (adapter != null && adapter.isMultiValue()) ? adapter.toPublisher(result) : Mono.just(result);
	}

	private Object fromPublisher(Publisher<?> publisher) {
		return (this.adapter != null) ? this.adapter.fromPublisher(publisher) : publisher;
	}

}
