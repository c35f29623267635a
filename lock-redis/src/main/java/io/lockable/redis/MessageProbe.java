package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.store.Inbox;
import io.lockable.text.LogSafe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks whether messages that scripts publish reach the inbox. The server may refuse
 * them, or deliver them elsewhere. A probe, which is such a message, follows each
 * confirmed subscription. While messages do not arrive, it is repeated: the failure may
 * be temporary, or an operator may cure it.
 *
 * <p>
 * Only the last probe decides, even if its message arrives late. A probe that fails
 * without a refusal by the server changes nothing.
 *
 * <p>
 * Thread-safe.
 */
final class MessageProbe {

	private static final Logger log = LoggerFactory.getLogger(MessageProbe.class);

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

	private static final String MESSAGE = "probe ";

	private final String channel;

	private final Duration interval;

	private final LongFunction<CompletionStage<Boolean>> sender;

	private final EngineRuntime runtime;

	private final AtomicBoolean logged = new AtomicBoolean();

	private volatile boolean notifying = true;

	private volatile long last;

	private volatile CompletableFuture<Boolean> arrival = new CompletableFuture<>();

	/**
	 * Creates an instance that assumes that messages arrive.
	 * @param channel the channel of the inbox
	 * @param interval the pause before a probe is repeated
	 * @param sender sends the probe with a number to the inbox, and returns whether the
	 * server has accepted it; may block, and never throws
	 * @param runtime sends, and repeats probes
	 */
	MessageProbe(String channel, Duration interval, LongFunction<CompletionStage<Boolean>> sender,
			EngineRuntime runtime) {
		this.channel = channel;
		this.interval = interval;
		this.sender = sender;
		this.runtime = runtime;
	}

	boolean isNotifying() {
		return this.notifying;
	}

	/**
	 * Sends a probe on another thread, because that may block.
	 * @param inbox notified of a change
	 * @return completes when the outcome is known
	 */
	CompletionStage<?> start(Inbox inbox) {
		CompletableFuture<Boolean> arrived = new CompletableFuture<>();
		long number;
		synchronized (this) {
			number = this.last + 1;
			this.last = number;
			this.arrival = arrived;
		}
		CompletableFuture<?> ended = arrived.thenAccept((reached) -> conclude(number, reached, inbox));
		AtomicBoolean accepted = new AtomicBoolean();
		this.runtime.scheduleUnless(arrived, () -> {
			if (!accepted.get()) {
				arrived.complete(this.notifying);
			}
		}, this.runtime.now() + PATIENCE);
		this.runtime.execute(Work.STEP, () -> this.sender.apply(number).whenComplete((publishes, failure) -> {
			if (failure != null) {
				log.debug("Failed to test the messages of scripts to '{}'", this.channel, LogSafe.of(failure));
				arrived.complete(this.notifying);
			}
			else if (publishes) {
				accepted.set(true);
				this.runtime.scheduleUnless(arrived, () -> arrived.complete(false), this.runtime.now() + PATIENCE);
			}
			else {
				arrived.complete(false);
			}
		}));
		return ended;
	}

	/**
	 * Handles a message if it is a probe.
	 * @param body the message
	 * @param inbox notified of a change
	 * @return whether it is a probe
	 */
	boolean handles(byte[] body, Inbox inbox) {
		String text = new String(body, StandardCharsets.ISO_8859_1);
		if (!text.startsWith(MESSAGE)) {
			return false;
		}
		long number = Long.parseLong(text.substring(MESSAGE.length()));
		if (number == this.last && !this.arrival.complete(true)) {
			conclude(number, true, inbox);
		}
		return true;
	}

	private void conclude(long number, boolean reached, Inbox inbox) {
		boolean changed;
		synchronized (this) {
			if (number != this.last) {
				return;
			}
			changed = this.notifying != reached;
			this.notifying = reached;
		}
		if (!reached) {
			warn();
			this.runtime.schedule(() -> repeat(number, inbox), this.runtime.now() + this.interval.toNanos());
		}
		if (changed) {
			inbox.resubscribed();
		}
	}

	private void repeat(long number, Inbox inbox) {
		if (number == this.last && !this.notifying) {
			start(inbox);
		}
	}

	/**
	 * Ends the probes.
	 */
	synchronized void close() {
		this.last++;
	}

	/**
	 * Logs once that waiters are not notified.
	 */
	void warn() {
		if (this.logged.compareAndSet(false, true)) {
			log.warn("Redis does not deliver the messages of scripts to '{}', so waiters poll and no lock is retained. "
					+ "Cure: a server that permits PUBLISH in scripts, and "
					+ "ACL SETUSER <user> +publish &lockable:inbox:*", this.channel);
		}
	}

}
