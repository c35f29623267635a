package io.lockable.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.Producible;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * The representations of all locks over HTTP. A request that accepts several receives the
 * last of them: a browser, which also accepts anything, receives the page.
 */
enum LocksFormat implements Producible<LocksFormat> {

	/**
	 * Tables for a terminal.
	 */
	TEXT("text/plain;charset=UTF-8"),

	/**
	 * JSON.
	 */
	JSON(MimeTypeUtils.APPLICATION_JSON_VALUE),

	/**
	 * JSON of version 2 of the endpoints.
	 */
	JSON_2("application/vnd.spring-boot.actuator.v2+json"),

	/**
	 * JSON of version 3 of the endpoints, the default.
	 */
	JSON_3("application/vnd.spring-boot.actuator.v3+json"),

	/**
	 * A page for a browser, which reads the JSON.
	 */
	HTML("text/html;charset=UTF-8");

	private final String type;

	LocksFormat(String type) {
		this.type = type;
	}

	@Override
	public MimeType getProducedMimeType() {
		return MimeType.valueOf(this.type);
	}

	@Override
	public boolean isDefault() {
		return this == JSON_3;
	}

}
