package io.lockable.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
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

	@ReadOperation
	LocksDescriptor locks() {
		return this.endpoint.locks();
	}

	@ReadOperation
	StoredLockDescriptor lock(String key) {
		return this.endpoint.lock(key);
	}

	// JMX does not identify the requester
	@DeleteOperation
	ForcedReleaseDescriptor forceRelease(String key) {
		if (!this.endpoint.forcesReleases()) {
			throw new UnsupportedOperationException(
					"Forced release is disabled (distributed-lock.actuator.force-release.enabled)");
		}
		return this.endpoint.forceRelease(key, "a JMX client");
	}

}
