package io.lockable.autoconfigure.actuate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.core.io.ClassPathResource;
import org.springframework.lang.Nullable;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} for the {@link LocksEndpoint}: all
 * locks and one lock over HTTP.
 *
 * <p>
 * The key is the rest of the path, including slashes. A path cannot represent every key:
 * servers and firewalls change or reject {@code //}, {@code ..} and {@code ;} in it.
 * After the path {@code -}, the query parameter {@code key} therefore names the lock. It
 * applies only after that path, so that access rules for the locks of some paths hold.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@SuppressWarnings("deprecation") // Spring Boot 3 supports no other @Nullable
class LocksEndpointWebExtension {

	private static final String BY_PARAMETER = "-";

	private static final int STATUS_METHOD_NOT_ALLOWED = 405;

	private static final String ONE_KEY = "The key must be the full name of one lock, in the path or as '-?key='";

	private final LocksEndpoint endpoint;

	LocksEndpointWebExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	@ReadOperation(producesFrom = LocksFormat.class)
	WebEndpointResponse<Object> locks(LocksFormat format) throws IOException {
		Object body = switch (format) {
			case HTML -> new ClassPathResource("locks.html", getClass()).getContentAsString(StandardCharsets.UTF_8);
			case TEXT -> LocksTable.of(this.endpoint.locks());
			default -> this.endpoint.locks();
		};
		return new WebEndpointResponse<>(body, format);
	}

	@ReadOperation
	WebEndpointResponse<StoredLockDescriptor> lock(@Selector(match = Selector.Match.ALL_REMAINING) Object path,
			@Nullable Object key) {
		StoredLockDescriptor lock = this.endpoint.lock(text(path, key));
		return new WebEndpointResponse<>(lock, status(lock.isHeld(), lock.isUnknown()));
	}

	@DeleteOperation
	WebEndpointResponse<ForcedReleaseDescriptor> forceRelease(SecurityContext securityContext,
			@Selector(match = Selector.Match.ALL_REMAINING) Object path, @Nullable Object key) {
		if (!this.endpoint.forcesReleases()) {
			return new WebEndpointResponse<>(STATUS_METHOD_NOT_ALLOWED);
		}
		ForcedReleaseDescriptor forced = this.endpoint.forceRelease(text(path, key), who(securityContext));
		return new WebEndpointResponse<>(forced, status(forced.isHeld(), forced.isUnknown()));
	}

	/**
	 * Reads a key. The types prevent a conversion of form data, which would split a text
	 * with commas. A query parameter named {@code path} replaces the path, as a text or a
	 * list, and is rejected.
	 * @param path the parts of the path
	 * @param parameter the query parameter, or {@code null}
	 * @return the key
	 */
	private static String text(Object path, @Nullable Object parameter) {
		String text = (path instanceof String[] parts) ? String.join("/", parts) : "";
		if (parameter != null) {
			text = (parameter instanceof String key && text.equals(BY_PARAMETER)) ? key : "";
		}
		if (text.isBlank()) {
			throw new InvalidEndpointRequestException(ONE_KEY, ONE_KEY);
		}
		return text;
	}

	private static int status(boolean held, boolean unknown) {
		if (held) {
			return WebEndpointResponse.STATUS_OK;
		}
		return unknown ? WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE : WebEndpointResponse.STATUS_NOT_FOUND;
	}

	private static String who(SecurityContext securityContext) {
		Principal principal = securityContext.getPrincipal();
		return (principal != null) ? "'" + principal.getName() + "'" : "an unknown user";
	}

}
