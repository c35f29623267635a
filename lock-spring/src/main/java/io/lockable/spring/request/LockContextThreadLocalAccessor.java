package io.lockable.spring.request;

import io.lockable.LockContext;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Propagates the {@link LockContext} to other threads, and from a Reactor context to the
 * operators of a chain, through Micrometer's context propagation. The service loader
 * finds this class if that library is on the class path.
 *
 * @since 0.1.0
 */
public final class LockContextThreadLocalAccessor implements ThreadLocalAccessor<LockContext> {

	@Override
	public Object key() {
		return LockContext.class;
	}

	@Override
	public @Nullable LockContext getValue() {
		return LockContext.find().orElse(null);
	}

	@Override
	public void setValue(LockContext context) {
		LockContext.replace(context);
	}

	@Override
	public void setValue() {
		LockContext.replace(null);
	}

}
