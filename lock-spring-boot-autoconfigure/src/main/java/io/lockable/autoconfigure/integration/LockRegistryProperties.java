package io.lockable.autoconfigure.integration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the lock registry for Spring Integration.
 *
 * @param enabled Whether a LockRegistry bean for Spring Integration is created.
 * @param prefix Prefix of the Redis keys of the registry's locks. By default,
 * 'distributed-lock.prefix' followed by 'integration:'.
 */
@ConfigurationProperties("distributed-lock.integration")
record LockRegistryProperties(@DefaultValue("true") boolean enabled, @Nullable String prefix) {

	/**
	 * Returns the prefix.
	 * @param common what stands before the keys of annotated methods
	 * @return what stands before the keys of the registry
	 */
	String prefix(String common) {
		return (this.prefix != null) ? this.prefix : common + "integration:";
	}

}
