package io.lockable.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/**
 * The {@link LocksEndpointJmxExtension} of those who want to release locks by force. JMX
 * does not tell who they are.
 */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
final class LocksForceReleaseJmxExtension extends LocksEndpointJmxExtension {

	private final ForcedReleases releases;

	LocksForceReleaseJmxExtension(LocksEndpoint endpoint, ForcedReleases releases) {
		super(endpoint);
		this.releases = releases;
	}

	@DeleteOperation
	ForcedReleaseDescriptor forceRelease(String key) {
		return endpoint().forceRelease(key, this.releases, "a JMX client");
	}

}
