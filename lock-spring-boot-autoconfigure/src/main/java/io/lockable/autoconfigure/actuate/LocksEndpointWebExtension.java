package io.lockable.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} for the {@link LocksEndpoint}: one
 * lock over HTTP.
 *
 * <p>
 * The key is the rest of the path, slashes and all. A path cannot say everything: servers
 * and firewalls change or refuse {@code //}, {@code ..} and {@code ;} in it. So a query
 * parameter {@code key} counts instead, which takes the place of the part of the path
 * with this name.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
class LocksEndpointWebExtension {

	private final LocksEndpoint endpoint;

	LocksEndpointWebExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	@ReadOperation
	WebEndpointResponse<StoredLockDescriptor> lock(@Selector(match = Selector.Match.ALL_REMAINING) Object key) {
		StoredLockDescriptor lock = this.endpoint.lock(text(key));
		return new WebEndpointResponse<>(lock, status(lock.isHeld(), lock.isUnknown()));
	}

	/**
	 * Reads a key. Its type is that of neither form, so that none is converted: a text
	 * with commas would become several parts.
	 * @param key the parts of the path, or the query parameter
	 * @return the key
	 */
	static String text(Object key) {
		String text = (key instanceof String[] parts) ? String.join("/", parts) : "";
		text = (key instanceof String parameter) ? parameter : text;
		if (text.isBlank()) {
			throw new InvalidEndpointRequestException("'key' must be the one full name of a lock",
					"'key' must be the one full name of a lock");
		}
		return text;
	}

	static int status(boolean held, boolean unknown) {
		if (held) {
			return WebEndpointResponse.STATUS_OK;
		}
		return unknown ? WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE : WebEndpointResponse.STATUS_NOT_FOUND;
	}

}
