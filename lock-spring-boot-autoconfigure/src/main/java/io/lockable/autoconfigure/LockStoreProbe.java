package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

import io.lockable.spring.metadata.KeyExpression;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.LockStore;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Checks whether a store works: it acquires and releases a lock with two commands. The
 * key is unique to this instance and expires. The first probe, and each probe after a
 * failure, first checks the permissions of the store's user.
 *
 * <p>
 * Concurrent callers share one probe. At most one thread is in the store, however long
 * the store takes.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockStoreProbe {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Pattern CREDENTIALS = Pattern.compile("//\\S*@");

	private final LockStore store;

	private final Duration timeout;

	private final String key;

	// Whether the store has answered or failed at least once
	private volatile boolean connected;

	// Whether the permission check has succeeded, and no probe has failed since
	private volatile boolean permitted;

	private final AtomicLong count = new AtomicLong();

	private @Nullable Run last;

	/**
	 * Creates a probe. Sends no command.
	 * @param store the store
	 * @param prefix the prefix of the key, which the permissions of the store's user must
	 * allow
	 * @param timeout the time limit for the answer of the store
	 */
	public LockStoreProbe(LockStore store, String prefix, Duration timeout) {
		this.store = store;
		this.timeout = timeout;
		this.key = prefix + "lockable:probe:" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
	}

	/**
	 * Probes the store. Blocks until it has answered, or until the timeout. Before its
	 * first answer, a store gets its {@linkplain LockStore#connectTimeout() connect
	 * timeout} in addition. An interrupt ends the wait, and the interrupt status is
	 * restored.
	 * @return the result
	 */
	public Result run() {
		Run run = join();
		Duration timeout = timeout();
		try {
			return run.result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			this.connected = true;
			Result unanswered = new Result(run.elapsed(), "no answer within %s".formatted(DurationText.of(timeout)));
			run.result.complete(unanswered);
			return unanswered;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return new Result(run.elapsed(), "interrupted before the store answered");
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("A run never fails", ex);
		}
	}

	// A completed run may still occupy its thread; no other run starts meanwhile
	private synchronized Run join() {
		Run current = this.last;
		if (current != null && !(current.result.isDone() && current.left)) {
			return current;
		}
		Run next = new Run();
		Thread thread = new Thread(() -> start(next), "lockable-probe");
		thread.setDaemon(true);
		thread.start();
		// Not before: without a thread, the next caller tries again
		this.last = next;
		return next;
	}

	private void start(Run run) {
		String owner = "probe:" + this.key.substring(this.key.lastIndexOf(':') + 1) + '-'
				+ this.count.incrementAndGet();
		CompletionStage<Optional<String>> problem;
		try {
			problem = this.permitted ? acquire(owner)
					: this.store.checkPermissions(this.key).thenCompose((permitted) -> acquire(owner));
		}
		catch (Throwable ex) {
			// Errors are caught as well: a caller waits for the result
			problem = CompletableFuture.failedFuture(ex);
		}
		// Set before the result: a caller that sees the result and asks again gets a new
		// run
		run.left = true;
		problem.whenComplete((text, failure) -> {
			this.permitted = failure == null;
			this.connected = true;
			run.result.complete(new Result(run.elapsed(), (failure != null) ? reason(failure) : text.orElse(null)));
		});
	}

	// A refusal comes from a store that works: only the lock of an earlier probe, whose
	// release failed, can be in the way. Also releases a lock that is granted after the
	// timeout
	private CompletionStage<Optional<String>> acquire(String owner) {
		return this.store.acquire(this.key, owner, LEASE)
			.thenCompose((answer) -> (answer instanceof Granted) ? release(owner)
					: CompletableFuture.completedFuture(Optional.empty()));
	}

	private CompletionStage<Optional<String>> release(String owner) {
		return this.store.release(this.key, owner)
			.thenApply((released) -> released ? Optional.empty() : Optional.of("the lock was lost before its release"));
	}

	/**
	 * Returns the description of the store.
	 * @return the description, without credentials
	 */
	public String store() {
		String text = this.store.toString();
		return withoutCredentials(
				KeyExpression.isIdentityText(this.store, text) ? this.store.getClass().getName() : text);
	}

	/**
	 * Returns the time limit for the answer of the store.
	 * @return the timeout of the next probe
	 */
	Duration timeout() {
		return this.connected ? this.timeout : this.timeout.plus(this.store.connectTimeout());
	}

	private static String reason(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		String text = text(cause);
		String root = text(NestedExceptionUtils.getMostSpecificCause(cause));
		return withoutCredentials(text.contains(root) ? text : text + " (" + root + ')');
	}

	private static String text(Throwable failure) {
		String message = failure.getMessage();
		return (message != null) ? message : failure.getClass().getName();
	}

	private static String withoutCredentials(String text) {
		return CREDENTIALS.matcher(text).replaceAll("//***@");
	}

	/**
	 * The result of a probe.
	 *
	 * @param latency the time of the acquisition and the release
	 * @param failure the reason of a failure, without credentials; {@code null} after a
	 * success
	 */
	public record Result(Duration latency, @Nullable String failure) {

	}

	/**
	 * One probe, which several callers may await.
	 */
	private static final class Run {

		private final CompletableFuture<Result> result = new CompletableFuture<>();

		private final long start = System.nanoTime();

		private volatile boolean left;

		Duration elapsed() {
			return Duration.ofNanos(System.nanoTime() - this.start);
		}

	}

}
