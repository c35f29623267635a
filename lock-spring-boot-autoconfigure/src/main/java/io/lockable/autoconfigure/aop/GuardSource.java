package io.lockable.autoconfigure.aop;

import java.time.Duration;
import java.util.List;

import io.lockable.LockOptions;
import io.lockable.LockType;
import io.lockable.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * What one annotation says of its locks, parsed. Thread-safe.
 *
 * @param name what logs, events and metrics call them
 * @param prefix what stands before the key in the store
 * @param key the key
 * @param options how to acquire, keep and release them
 */
record GuardSource(String name, String prefix, KeyExpression key, LockOptions options) {

	List<Guard> guards(@Nullable Object[] arguments) {
		return List.of(new Guard(this.name, this.key.evaluate(this.prefix, arguments), this.options, LockType.EXCLUSIVE,
				Duration.ZERO, OnLost.WARN));
	}

}
