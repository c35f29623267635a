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
	StoredLockDescriptor lock(String key) {
		return this.endpoint.lock(key);
	}

	/**
	 * The {@link LocksEndpointJmxExtension} with forced releases. JMX does not identify
	 * the requester.
	 */
	@EndpointJmxExtension(endpoint = LocksEndpoint.class)
	static final class LocksForceReleaseJmxExtension extends LocksEndpointJmxExtension {

		private final ForcedReleases releases;

		LocksForceReleaseJmxExtension(LocksEndpoint endpoint, ForcedReleases releases) {
			super(endpoint);
			this.releases = releases;
		}

		@DeleteOperation
		ForcedReleaseDescriptor forceRelease(String key) {
			return super.endpoint.forceRelease(key, this.releases, "a JMX client");
		}

	}

}
