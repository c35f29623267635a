package io.lockable.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/**
 * The {@link LocksEndpointJmxExtension} of those who want to release locks by force.
 */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
final class LocksForceReleaseJmxExtension extends LocksEndpointJmxExtension {

	private final LocksEndpoint endpoint;

	private final ForcedReleases releases;

	LocksForceReleaseJmxExtension(LocksEndpoint endpoint, ForcedReleases releases) {
		super(endpoint);
		this.endpoint = endpoint;
		this.releases = releases;
	}

	@DeleteOperation
	ForcedReleaseDescriptor forceRelease(SecurityContext securityContext, String key) {
		return this.endpoint.forceRelease(key, this.releases, LocksForceReleaseWebExtension.who(securityContext));
	}

}
