package io.lockable.autoconfigure.actuate;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the endpoint {@code locks}.
 *
 * @param forceRelease The forced release of locks.
 */
@ConfigurationProperties("distributed-lock.actuator")
record LocksEndpointProperties(@DefaultValue ForceRelease forceRelease) {

	/**
	 * The forced release of locks.
	 *
	 * @param enabled Whether the endpoint 'locks' can release a lock of another owner.
	 */
	record ForceRelease(@DefaultValue("false") boolean enabled) {

	}

}
