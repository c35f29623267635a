package io.lockable.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.shell.LeaseTimes;
import io.lockable.engine.shell.LocalLease;
import io.lockable.engine.shell.StoreAccess;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of several keys as one: held while all are held, lost when any is lost.
 */
final class MultiLease implements Lease {

	private static final Logger log = LoggerFactory.getLogger(MultiLease.class);

	private static final String SEPARATOR = ",";

	private final List<LocalLease> parts;

	private final StoreAccess store;

	/**
	 * Creates a lease.
	 * @param parts one lease for each key, in order of acquisition
	 * @param store the access to the store
	 */
	MultiLease(List<LocalLease> parts, StoreAccess store) {
		this.parts = List.copyOf(parts);
		this.store = store;
	}

	static String join(List<String> texts) {
		return String.join(SEPARATOR, texts);
	}

	@Override
	public String key() {
		return this.parts.stream().map(LocalLease::key).collect(Collectors.joining(SEPARATOR));
	}

	@Override
	public List<String> keys() {
		return this.parts.stream().map(LocalLease::key).toList();
	}

	@Override
	public String owner() {
		return this.parts.stream().map(LocalLease::owner).collect(Collectors.joining(SEPARATOR));
	}

	@Override
	public long fencingToken() {
		return this.parts.stream().mapToLong(LocalLease::fencingToken).max().orElseThrow();
	}

	@Override
	public long fencingToken(String key) {
		return this.parts.stream()
			.filter((part) -> part.key().equals(key))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					LogSafe.of("'key' must be one of '%s', was '%s'".formatted(key(), key))))
			.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.parts.stream().allMatch(LocalLease::isHeld);
	}

	@Override
	public Duration remaining() {
		return this.parts.stream().map(LocalLease::remaining).min(Duration::compareTo).orElseThrow();
	}

	@Override
	public boolean extend(Duration lease) {
		LeaseTimes.checkExtension(lease);
		long deadline = this.store.answerDeadline();
		return all((part) -> {
			CompletionStage<Boolean> sent = part.sendExtension(lease, this.store::dispatch);
			return () -> part.awaitExtension(sent, deadline);
		});
	}

	@Override
	public CompletionStage<LockLost> lost() {
		CompletableFuture<LockLost> lost = new CompletableFuture<>();
		this.parts.forEach((part) -> part.lost().thenAccept(lost::complete));
		return lost.minimalCompletionStage();
	}

	@Override
	public boolean release() {
		return release(null);
	}

	@Override
	public boolean releaseAfter(Duration rest) {
		LeaseTimes.checkRest(rest);
		return release(rest);
	}

	private boolean release(@Nullable Duration rest) {
		return all((part) -> {
			part.sendRelease(rest);
			return part::release;
		});
	}

	/**
	 * Sends a command for each part in reverse order, and then waits for all answers.
	 * @param command sends a command, and returns the wait for its answer
	 */
	private boolean all(Function<LocalLease, BooleanSupplier> command) {
		List<BooleanSupplier> answers = reversed(this.parts).map(command).toList();
		boolean all = true;
		List<LockException> failures = new ArrayList<>(0);
		for (BooleanSupplier answer : answers) {
			try {
				all &= answer.getAsBoolean();
			}
			catch (LockStoreException ex) {
				failures.add(ex);
			}
		}
		throwFirst(failures);
		return all;
	}

	private static <T> Stream<T> reversed(List<T> list) {
		return IntStream.rangeClosed(1, list.size()).mapToObj((i) -> list.get(list.size() - i));
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		return releaseAsync(LocalLease::releaseAsync);
	}

	@Override
	public CompletionStage<Boolean> releaseAfterAsync(Duration rest) {
		LeaseTimes.checkRest(rest);
		return releaseAsync((part) -> part.releaseAfterAsync(rest));
	}

	private CompletionStage<Boolean> releaseAsync(Function<LocalLease, CompletionStage<Boolean>> way) {
		CompletionStage<Boolean> none = CompletableFuture.completedStage(true);
		return reversed(this.parts).map(way).reduce(none, (all, part) -> all.thenCombine(part, Boolean::logicalAnd));
	}

	@Override
	public void close() {
		try {
			release();
		}
		catch (LockStoreException ex) {
			log.warn("Failed to release all of the locks '{}'; the release is retried until their leases expire",
					LogSafe.of(key()), ex);
		}
	}

	/**
	 * Releases unused leases in reverse order, without waiting for the answers.
	 * @param leases the leases, in order of acquisition
	 */
	static void giveBack(List<LocalLease> leases) {
		reversed(leases).forEach((lease) -> lease.sendRelease(Duration.ZERO));
	}

	/**
	 * Throws the first of several failures, with the others as suppressed.
	 * @param failures the failures; without effect if there are none
	 */
	static void throwFirst(List<LockException> failures) {
		if (!failures.isEmpty()) {
			LockException first = failures.get(0);
			failures.stream().filter((each) -> each != first).forEach(first::addSuppressed);
			throw first;
		}
	}

}
