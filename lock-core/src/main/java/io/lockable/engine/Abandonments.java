package io.lockable.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the server to forget owner tokens that nobody uses any more, so that no lock is
 * orphaned by its own client: after an acquisition whose answer was lost, a waiter that
 * gave up, a release that failed. Tried again until it succeeds, or until the lease has
 * surely ended.
 */
final class Abandonments implements Watched {

	private static final Logger log = LoggerFactory.getLogger(Abandonments.class);

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(250);

	private static final Duration MARGIN = Duration.ofSeconds(10);

	private final BiFunction<String, String, CompletionStage<Boolean>> command;

	private final LockQueues queues;

	private final Set<Abandonment> pending = ConcurrentHashMap.newKeySet();

	private final DueTime dueAt;

	Abandonments(BiFunction<String, String, CompletionStage<Boolean>> command, LockQueues queues) {
		this.command = command;
		this.queues = queues;
		this.dueAt = new DueTime(queues.now(), queues.watch());
	}

	void abandon(String key, String owner, Duration lease) {
		Abandonment abandonment = new Abandonment(key, owner, Deadline.after(this.queues.now(), lease.plus(MARGIN)));
		this.pending.add(abandonment);
		this.dueAt.notAfter(this.queues.now() + this.queues.commandTimeout().toNanos());
		attempt(abandonment);
	}

	private void attempt(Abandonment abandonment) {
		this.queues.dispatch(() -> send(abandonment));
	}

	private void send(Abandonment abandonment) {
		this.command.apply(abandonment.key(), abandonment.owner()).whenComplete((held, failure) -> {
			if (failure == null) {
				this.pending.remove(abandonment);
			}
			else if (this.queues.now() - abandonment.until() >= 0) {
				this.pending.remove(abandonment);
				log.debug("Gave up telling the store that lock '{}' is not wanted: its lease has ended",
						abandonment.key());
			}
			else {
				this.dueAt.notAfter(this.queues.now() + RETRY);
			}
		});
	}

	@Override
	public long dueAt() {
		return this.dueAt.get();
	}

	/**
	 * Tries again what has failed or was not answered. What is still on its way is sent
	 * twice then, which does no harm.
	 */
	@Override
	public void due(long now) {
		this.dueAt.clear();
		this.pending.removeIf((abandonment) -> now - abandonment.until() >= 0);
		this.pending.forEach(this::attempt);
	}

	boolean isEmpty() {
		return this.pending.isEmpty();
	}

	/**
	 * An owner token that the server may still know.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param until when its lease has surely ended
	 */
	private record Abandonment(String key, String owner, long until) {

	}

}
