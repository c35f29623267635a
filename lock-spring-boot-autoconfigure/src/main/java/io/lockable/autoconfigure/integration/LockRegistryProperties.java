package io.lockable.autoconfigure.integration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code application.yml} says about Spring Integration's lock registry.
 *
 * @param enabled Whether there is a LockRegistry for Spring Integration.
 * @param prefix What stands before the key of a registry's lock in the store. By default
 * 'distributed-lock.prefix' and 'integration:'.
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
