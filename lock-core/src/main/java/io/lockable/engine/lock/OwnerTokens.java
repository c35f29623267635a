package io.lockable.engine.lock;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.lockable.Internal;
import io.lockable.LockOptions;
import io.lockable.store.RecallingLockStore;
import org.jspecify.annotations.Nullable;

/**
 * Makes owner tokens: {@code requestId:instance-number}. What stands before the colon is
 * for the eyes of an operator and may be chosen by a client; what follows is chosen here
 * and never repeats, so no two acquisitions are ever the same owner. With
 * {@code @address} at its end, others can ask this instance for a lock that it retains.
 */
@Internal
public final class OwnerTokens {

	private static final int INSTANCE_BYTES = 8;

	private final Supplier<@Nullable String> requestId;

	private final String instance;

	private final String retained;

	private final AtomicLong acquisitions = new AtomicLong();

	public OwnerTokens(Supplier<@Nullable String> requestId, @Nullable String address) {
		this.retained = (address != null) ? RecallingLockStore.ADDRESS + address : "";
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

	/**
	 * Makes a token for a request that the calling thread may know nothing of.
	 * @param id the request id
	 * @param options the options of the acquisition
	 * @return the owner token
	 */
	String next(String id, LockOptions options) {
		String token = id + ':' + this.instance + '-' + this.acquisitions.incrementAndGet();
		return options.retain().isZero() ? token : token + this.retained;
	}

}
