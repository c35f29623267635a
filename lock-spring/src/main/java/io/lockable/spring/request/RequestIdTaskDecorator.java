package io.lockable.spring.request;

import io.lockable.LockContext;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;

/**
 * Propagates the request id and the {@link LockContext} to the thread of a task, and
 * nothing else. The application decides about further state of a request, such as its
 * security context. A lock stays with its thread.
 */
public final class RequestIdTaskDecorator implements TaskDecorator {

	@Override
	public Runnable decorate(Runnable task) {
		String id = RequestId.current();
		LockContext locks = LockContext.find().orElse(null);
		return (id == null && locks == null) ? task : () -> run(task, id, locks);
	}

	// An executor that is full may run the task on the caller's thread, so the previous
	// values are restored
	private static void run(Runnable task, @Nullable String id, @Nullable LockContext locks) {
		LockContext previous = LockContext.replace(locks);
		try (RequestId.Scope scope = RequestId.replace(id)) {
			task.run();
		}
		finally {
			LockContext.replace(previous);
		}
	}

}
