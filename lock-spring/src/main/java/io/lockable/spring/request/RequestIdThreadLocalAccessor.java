package io.lockable.spring.request;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Propagates the request id to other threads through Micrometer's context propagation.
 * The service loader finds this class if that library is on the class path.
 *
 * @since 0.1.0
 */
public final class RequestIdThreadLocalAccessor implements ThreadLocalAccessor<String> {

	/**
	 * The key of the request id in a context snapshot or a Reactor context.
	 */
	public static final String KEY = "io.lockable.requestId";

	@Override
	public Object key() {
		return KEY;
	}

	@Override
	public @Nullable String getValue() {
		return RequestId.current();
	}

	@Override
	public void setValue(String id) {
		RequestId.set(id, id);
	}

	@Override
	public void setValue() {
		RequestId.set(null, null);
	}

}
