package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of several keys as one: held while all are held, lost when any is.
 */
final class CombinedLease implements Lease {

	private static final Logger log = LoggerFactory.getLogger(CombinedLease.class);

	private static final String SEPARATOR = ",";

	private final List<HeldLease> parts;

	private final CompletableFuture<LockLost> lost = new CompletableFuture<>();

	/**
	 * Creates a lease.
	 * @param parts one lease for each key, in the order of their acquisition
	 */
	CombinedLease(List<HeldLease> parts) {
		this.parts = List.copyOf(parts);
		this.parts.forEach((part) -> part.lost().thenAccept(this.lost::complete));
	}

	static String join(List<String> texts) {
		return String.join(SEPARATOR, texts);
	}

	@Override
	public String key() {
		return this.parts.stream().map(HeldLease::key).collect(Collectors.joining(SEPARATOR));
	}

	@Override
	public String owner() {
		return this.parts.stream().map(HeldLease::owner).collect(Collectors.joining(SEPARATOR));
	}

	@Override
	public long fencingToken() {
		return this.parts.stream().mapToLong(HeldLease::fencingToken).max().orElseThrow();
	}

	@Override
	public long fencingToken(String key) {
		return this.parts.stream()
			.filter((part) -> part.key().equals(key))
			.findFirst()
			.orElseThrow(
					() -> new IllegalArgumentException("'key' must be one of '%s', was '%s'".formatted(key(), key)))
			.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.parts.stream().allMatch(HeldLease::isHeld);
	}

	@Override
	public Duration remaining() {
		return this.parts.stream().map(HeldLease::remaining).min(Duration::compareTo).orElseThrow();
	}

	@Override
	public boolean extend(Duration lease) {
		boolean extended = true;
		for (HeldLease part : this.parts) {
			extended &= part.extend(lease);
		}
		return extended;
	}

	@Override
	public CompletionStage<LockLost> lost() {
		return this.lost.minimalCompletionStage();
	}

	@Override
	public boolean release() {
		return release(null);
	}

	@Override
	public boolean releaseAfter(Duration rest) {
		HeldLease.checkRest(rest);
		return release(rest);
	}

	private boolean release(@Nullable Duration rest) {
		sendReleases(rest);
		boolean ours = true;
		LockStoreException failure = null;
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			try {
				ours &= this.parts.get(i).release();
			}
			catch (LockStoreException ex) {
				failure = first(failure, ex);
			}
		}
		if (failure != null) {
			throw failure;
		}
		return ours;
	}

	/**
	 * Sends all releases before the first answer is waited for.
	 */
	private void sendReleases(@Nullable Duration rest) {
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			this.parts.get(i).sendRelease(rest);
		}
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		CompletableFuture<Boolean> released = CompletableFuture.completedFuture(true);
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			released = released.thenCombine(this.parts.get(i).releaseAsync(), Boolean::logicalAnd);
		}
		return released.minimalCompletionStage();
	}

	@Override
	public Lease unused() {
		this.parts.forEach(HeldLease::unused);
		return this;
	}

	@Override
	public void close() {
		try {
			release();
		}
		catch (LockStoreException ex) {
			log.warn("Locks '{}' could not all be released, this is tried again until their leases have ended", key(),
					ex);
		}
	}

	/**
	 * Keeps the first of several failures, with the others as suppressed.
	 * @param <T> the type of failure
	 * @param first the first one, if there was any
	 * @param next the next one
	 * @return the first one
	 */
	static <T extends Throwable> T first(@Nullable T first, T next) {
		if (first == null || first == next) {
			return next;
		}
		first.addSuppressed(next);
		return first;
	}

}
