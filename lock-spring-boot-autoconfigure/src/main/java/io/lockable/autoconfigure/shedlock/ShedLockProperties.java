package io.lockable.autoconfigure.shedlock;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code application.yml} says about ShedLock's lock provider.
 *
 * @param enabled Whether there is a LockProvider for ShedLock.
 * @param prefix What stands before the name of a ShedLock lock in the store. By default
 * 'distributed-lock.prefix' and 'shedlock:'.
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
