package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.annotation.LockFailureHandler;
import io.lockable.annotation.LockType;
import io.lockable.annotation.OnFailure;
import org.jspecify.annotations.Nullable;

/**
 * The parsed annotations of one method of one class, for all of its calls. Thread-safe.
 *
 * @param method the called method
 * @param implementation the method of the target class that runs
 * @param kind the completion of the method's work
 * @param metadata the content of each annotation
 * @param onFailure the outcome while another owner holds a lock, without a fallback;
 * never {@link OnFailure#DEFAULT}
 * @param fallback the fallback for that case, or {@code null}
 * @param keepUntilTransactionCompletes whether a transaction of the caller keeps the
 * locks until it completes
 */
public record LockOperation(Method method, Method implementation, ReturnKind kind, List<LockMetadata> metadata,
		OnFailure onFailure, @Nullable LockFailureHandler fallback, boolean keepUntilTransactionCompletes) {

	/**
	 * Evaluates the locks of one call. Called once per call, before the method runs,
	 * because the arguments may change.
	 * @param target the object behind the proxy
	 * @param arguments the arguments of the call
	 * @return the locks to acquire, all or none. They are in the global order of all
	 * calls, with each key once; empty if no condition is true
	 * @throws LockKeyException if a key cannot be built
	 * @throws LockException if another attribute cannot be evaluated
	 */
	public List<LockRequest> requests(Object target, @Nullable Object[] arguments) {
		List<LockRequest> requests = (this.metadata.size() == 1) ? this.metadata.get(0).requests(target, arguments)
				: this.metadata.stream().flatMap((each) -> each.requests(target, arguments).stream()).toList();
		return (requests.size() > 1) ? inOrder(requests) : requests;
	}

	private List<LockRequest> inOrder(List<LockRequest> requests) {
		SortedMap<String, LockRequest> byKey = new TreeMap<>();
		for (LockRequest request : requests) {
			LockRequest other = byKey.putIfAbsent(request.key(), request);
			if (other != null && (other.covers(LockType.WRITE) != request.covers(LockType.WRITE)
					|| other.annotation().permits() != request.annotation().permits())) {
				throw new LockKeyException(
						("No lock for %s: one call requests the key '%s' as %s and as %s. Nothing was "
								+ "locked, and the method was not run.")
							.formatted(describe(), request.key(), kind(other), kind(request)));
			}
		}
		return (byKey.size() == 1) ? List.copyOf(byKey.values())
				: byKey.values().stream().map(LockRequest::amongOthers).toList();
	}

	private static String kind(LockRequest request) {
		return request.isSemaphore() ? "one of %d permits".formatted(request.annotation().permits())
				: request.annotation().type().name();
	}

	/**
	 * Describes the method for a message.
	 * @return its class, name and parameter types
	 */
	public String describe() {
		return InvalidAnnotation.describe(this.method);
	}

}
