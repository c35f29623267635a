package io.lockable.spring.request;

import io.lockable.Internal;
import io.lockable.LockContext;
import io.lockable.LockContextHolder;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;

/**
 * Carries the request id and the {@link LockContext} to the thread of a task, and nothing
 * else: what else belongs to a request, its security context say, is for the application
 * to decide. A lock belongs to its thread, and stays there.
 */
@Internal
public final class RequestIdTaskDecorator implements TaskDecorator {

	@Override
	public Runnable decorate(Runnable task) {
		String id = RequestId.current();
		LockContext locks = LockContext.find().orElse(null);
		return (id == null && locks == null) ? task : () -> run(task, id, locks);
	}

	// The thread may be the caller's own, where an executor is full: what it had comes
	// back
	private static void run(Runnable task, @Nullable String id, @Nullable LockContext locks) {
		RequestId.Scope scope = RequestId.replace(id);
		LockContext previous = LockContextHolder.replace(locks);
		try {
			task.run();
		}
		finally {
			LockContextHolder.replace(previous);
			scope.close();
		}
	}

}
