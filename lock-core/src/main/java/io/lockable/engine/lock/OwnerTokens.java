package io.lockable.engine.lock;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.lockable.LockOptions;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.store.RecallingLockStore;
import org.jspecify.annotations.Nullable;

/**
 * Creates owner tokens: {@code requestId:instance-number}. The part before the colon
 * helps operators, and a client may choose it. The part after the colon is chosen here
 * and never repeats, so two acquisitions never have the same owner. The instance is the
 * address of its inbox, so that other instances can ask it for its locks. A suffix
 * {@code @address} lets other instances recall a lock that this instance retains.
 */
final class OwnerTokens {

	private final Supplier<@Nullable String> requestId;

	private final EngineRuntime runtime;

	private final String instance;

	private final String retained;

	private final AtomicLong acquisitions = new AtomicLong();

	OwnerTokens(Supplier<@Nullable String> requestId, String instance, @Nullable String address,
			EngineRuntime runtime) {
		this.retained = (address != null) ? RecallingLockStore.ADDRESS + address : "";
		this.requestId = requestId;
		this.runtime = runtime;
		this.instance = instance;
	}

	/**
	 * Returns the request id of the calling thread, or a random one.
	 * @return the request id
	 */
	String requestId() {
		String id = this.requestId.get();
		return (id != null) ? id : Integer.toHexString(this.runtime.random().nextInt());
	}

	/**
	 * Creates a token for a request that may belong to another thread.
	 * @param id the request id
	 * @param options the options of the acquisition
	 * @return the owner token
	 */
	String next(String id, LockOptions options) {
		String token = id + ':' + this.instance + '-' + this.acquisitions.incrementAndGet();
		return options.retain().isZero() ? token : token + this.retained;
	}

}
