package io.lockable.autoconfigure.actuate;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code application.yml} says about the endpoint.
 *
 * @param forceRelease The forced release of locks.
 */
@ConfigurationProperties("distributed-lock.actuator")
record LocksEndpointProperties(@DefaultValue ForceRelease forceRelease) {

	/**
	 * The forced release of locks.
	 *
	 * @param enabled Whether the endpoint 'locks' can release a lock that somebody else
	 * holds.
	 */
	record ForceRelease(@DefaultValue("false") boolean enabled) {

	}

}
