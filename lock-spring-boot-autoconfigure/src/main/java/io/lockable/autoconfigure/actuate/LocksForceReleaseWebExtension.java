package io.lockable.autoconfigure.actuate;

import java.security.Principal;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/**
 * The {@link LocksEndpointWebExtension} of those who want to release locks by force.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@SuppressWarnings("deprecation") // Spring Boot 3 knows no other annotation for what may
									// be left out
final class LocksForceReleaseWebExtension extends LocksEndpointWebExtension {

	private final ForcedReleases releases;

	LocksForceReleaseWebExtension(LocksEndpoint endpoint, ForcedReleases releases) {
		super(endpoint);
		this.releases = releases;
	}

	@DeleteOperation
	WebEndpointResponse<ForcedReleaseDescriptor> forceRelease(SecurityContext securityContext,
			@Selector(match = Selector.Match.ALL_REMAINING) Object path, @Nullable Object key) {
		ForcedReleaseDescriptor forced = endpoint().forceRelease(text(path, key), this.releases, who(securityContext));
		return new WebEndpointResponse<>(forced, status(forced.isHeld(), forced.isUnknown()));
	}

	static String who(SecurityContext securityContext) {
		Principal principal = securityContext.getPrincipal();
		return (principal != null) ? "'" + principal.getName() + "'" : "an unknown user";
	}

}
