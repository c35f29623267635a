package io.lockable.spring.metadata;

import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import io.lockable.Internal;
import io.lockable.LockOptions;
import io.lockable.LockType;
import io.lockable.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * One lock of one call: everything an annotation says about it, evaluated with the
 * arguments of that call.
 *
 * @param key the full name of the lock
 * @param options how to acquire, keep and release it
 * @param type whom it shuts out
 * @param permits how many may hold it at once; above 1, it is a semaphore
 * @param onLost what happens when it is lost while the method runs
 * @param locks gives the bean that has it, or {@code null} for the default one
 */
@Internal
public record LockRequest(String key, LockOptions options, LockType type, int permits, OnLost onLost,
		@Nullable Supplier<DistributedLocks> locks) {

	/**
	 * Returns whether each call holds a permit of its own.
	 * @return {@code false} if it is a lock, or a side of one
	 */
	public boolean isSemaphore() {
		return this.permits > 1;
	}

	/**
	 * Returns whether whoever has this lock may go on as one who has another type of it.
	 * @param wanted the other type
	 * @return {@code false} if this is a reader's, and a writer's is wanted
	 */
	public boolean covers(LockType wanted) {
		return this.type != LockType.READ || wanted == LockType.READ;
	}

}
