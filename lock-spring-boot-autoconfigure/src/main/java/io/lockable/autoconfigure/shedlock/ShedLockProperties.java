package io.lockable.autoconfigure.shedlock;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the lock provider for ShedLock.
 *
 * @param enabled Whether a LockProvider bean for ShedLock is created.
 * @param prefix Prefix of the Redis keys of ShedLock's locks. By default,
 * 'distributed-lock.prefix' followed by 'shedlock:'.
 */
@ConfigurationProperties("distributed-lock.shedlock")
record ShedLockProperties(@DefaultValue("true") boolean enabled, @Nullable String prefix) {

	/**
	 * Returns the prefix.
	 * @param common what stands before the keys of annotated methods
	 * @return what stands before the names of ShedLock's locks
	 */
	String prefix(String common) {
		return (this.prefix != null) ? this.prefix : common + "shedlock:";
	}

}
