package io.lockable.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.ApiVersion;
import org.springframework.boot.actuate.endpoint.Producible;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * The representations of all locks over HTTP.
 */
enum LocksFormat implements Producible<LocksFormat> {

	/**
	 * A page for a browser, which reads the JSON.
	 */
	HTML(MimeType.valueOf("text/html;charset=UTF-8")),

	/**
	 * Tables for a terminal.
	 */
	TEXT(MimeType.valueOf("text/plain;charset=UTF-8")),

	/**
	 * JSON.
	 */
	JSON(MimeTypeUtils.APPLICATION_JSON),

	/**
	 * JSON of version 2 of the endpoints.
	 */
	JSON_2(ApiVersion.V2.getProducedMimeType()),

	/**
	 * JSON of version 3 of the endpoints, the default.
	 */
	JSON_3(ApiVersion.V3.getProducedMimeType());

	private final MimeType type;

	LocksFormat(MimeType type) {
		this.type = type;
	}

	@Override
	public MimeType getProducedMimeType() {
		return this.type;
	}

	@Override
	public boolean isDefault() {
		return this == JSON_3;
	}

}
