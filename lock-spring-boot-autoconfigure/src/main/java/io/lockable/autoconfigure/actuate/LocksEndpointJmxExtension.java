package io.lockable.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/**
 * {@link EndpointJmxExtension @EndpointJmxExtension} for the {@link LocksEndpoint}: one
 * lock over JMX.
 */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
class LocksEndpointJmxExtension {

	private final LocksEndpoint endpoint;

	LocksEndpointJmxExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	final LocksEndpoint endpoint() {
		return this.endpoint;
	}

	@ReadOperation
	StoredLockDescriptor lock(String key) {
		return this.endpoint.lock(key);
	}

}
