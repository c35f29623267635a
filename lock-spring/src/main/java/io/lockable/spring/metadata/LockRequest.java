package io.lockable.spring.metadata;

import java.time.Duration;
import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import io.lockable.LockOptions;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;
import org.jspecify.annotations.Nullable;

/**
 * The request of one call for one lock: the attributes of an annotation, evaluated with
 * the arguments of the call.
 *
 * @param key the full name of the lock
 * @param options the options of the lock
 * @param annotation the annotation, for attributes that are the same for all calls
 * @param locks the bean that provides the lock, or {@code null} for the default one
 */
public record LockRequest(String key, LockOptions options, DistributedLockable annotation,
		@Nullable Supplier<DistributedLocks> locks) {

	/**
	 * Returns the request for a call with several locks, none of which is retained.
	 * @return the request
	 */
	LockRequest amongOthers() {
		return new LockRequest(this.key, this.options.withRetain(Duration.ZERO), this.annotation, this.locks);
	}

	/**
	 * Returns whether each call holds its own permit.
	 * @return {@code false} for a lock or a side of a read/write lock
	 */
	public boolean isSemaphore() {
		return this.annotation.permits() > 1;
	}

	/**
	 * Returns whether a holder of this lock may enter it as another type.
	 * @param wanted the other type
	 * @return {@code false} if this is a read lock and the other type is not
	 */
	public boolean covers(LockType wanted) {
		return this.annotation.type() != LockType.READ || wanted == LockType.READ;
	}

}
