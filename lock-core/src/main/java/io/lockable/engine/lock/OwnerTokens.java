package io.lockable.engine.lock;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * Makes owner tokens: {@code requestId:instance-number}. What stands before the colon is
 * for the eyes of an operator and may be chosen by a client; what follows is chosen here
 * and never repeats, so no two acquisitions are ever the same owner.
 */
@Internal
public final class OwnerTokens {

	private static final int INSTANCE_BYTES = 8;

	private final Supplier<@Nullable String> requestId;

	private final String instance;

	private final AtomicLong acquisitions = new AtomicLong();

	public OwnerTokens(Supplier<@Nullable String> requestId) {
		this.requestId = requestId;
		byte[] random = new byte[INSTANCE_BYTES];
		new SecureRandom().nextBytes(random);
		this.instance = HexFormat.of().formatHex(random);
	}

	/**
	 * Returns the request id of the calling thread, or one made for the occasion.
	 * @return the request id
	 */
	String requestId() {
		String id = this.requestId.get();
		return (id != null) ? id : Integer.toHexString(ThreadLocalRandom.current().nextInt());
	}

	String next() {
		return next(requestId());
	}

	/**
	 * Makes a token for a request that the calling thread may know nothing of.
	 * @param id the request id
	 * @return the owner token
	 */
	String next(String id) {
		return id + ':' + this.instance + '-' + this.acquisitions.incrementAndGet();
	}

}
