package io.lockable.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.MessagingLockStore;
import io.lockable.text.DurationText;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The notifications of an instance: a connection with {@code LISTEN}, and a thread that
 * reads from it, for any number of locks. The inbox connects again after each loss.
 *
 * <p>
 * Each instance has its own channel. On a shared one, the server would send each grant to
 * all instances. Only messages to all instances use a shared one.
 *
 * <p>
 * A transaction pooler accepts {@code LISTEN} and delivers nothing. A probe over another
 * connection therefore follows each {@code LISTEN}.
 */
final class PostgresInbox {

	private static final Logger log = LoggerFactory.getLogger(PostgresInbox.class);

	// Bounds the time that close() takes to have an effect.
	private static final int POLL_MILLIS = 500;

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

	// A silent loss of the connection is detected after this time.
	private static final long PING_INTERVAL = TimeUnit.SECONDS.toNanos(10);

	private static final long RECONNECT_PAUSE = TimeUnit.SECONDS.toNanos(1);

	private static final long PROBE_INTERVAL = TimeUnit.SECONDS.toNanos(30);

	private static final String PROBE = "probe ";

	private final PostgresCommands commands;

	private final EngineRuntime runtime;

	private final String address;

	private final AtomicBoolean warned = new AtomicBoolean();

	private volatile boolean notifying = true;

	private volatile boolean closed;

	PostgresInbox(PostgresCommands commands, EngineRuntime runtime) {
		this.commands = commands;
		this.runtime = runtime;
		this.address = runtime.uniqueId();
	}

	String address() {
		return this.address;
	}

	String channel() {
		return channel(this.address);
	}

	/**
	 * Returns the channel of an inbox.
	 * @param address the address of the inbox, or that of all inboxes
	 * @return the name of the channel
	 */
	static String channel(String address) {
		return "lockable_" + address;
	}

	/**
	 * Returns whether notifications arrive.
	 * @return also {@code true} before the first subscription
	 */
	boolean isNotifying() {
		return this.notifying;
	}

	/**
	 * Starts to listen on another thread.
	 * @param inbox receives the grants
	 * @return completes when {@link #isNotifying} is known. After a failure, nothing is
	 * left running
	 */
	CompletionStage<?> subscribe(Inbox inbox) {
		CompletableFuture<String> subscribed = new CompletableFuture<>();
		start(inbox, subscribed);
		return subscribed;
	}

	void close() {
		this.closed = true;
	}

	private void start(Inbox inbox, CompletableFuture<String> subscribed) {
		try {
			this.runtime.executeBlocking("lockable-notifications", () -> listen(inbox, subscribed));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			if (!subscribed.completeExceptionally(new LockStoreException("No thread can wait for notifications", ex))) {
				startLater(inbox, subscribed, RECONNECT_PAUSE);
			}
		}
	}

	private void listen(Inbox inbox, CompletableFuture<String> subscribed) {
		long pause = RECONNECT_PAUSE;
		try {
			pause = this.commands.connected((connection) -> listen(connection, inbox, subscribed));
		}
		catch (SQLException | RuntimeException | LinkageError ex) {
			lost(ex, inbox, subscribed);
		}
		if (!subscribed.isCompletedExceptionally()) {
			startLater(inbox, subscribed, pause);
		}
	}

	private void startLater(Inbox inbox, CompletableFuture<String> subscribed, long pause) {
		if (!this.closed) {
			this.runtime.schedule(() -> start(inbox, subscribed), this.runtime.now() + pause);
		}
	}

	private long listen(Connection connection, Inbox inbox, CompletableFuture<String> subscribed) throws SQLException {
		PGConnection notifications = connection.unwrap(PGConnection.class);
		try {
			execute(connection, "LISTEN %s;LISTEN %s".formatted(channel(), channel(MessagingLockStore.EVERYONE)));
			TextParts texts = new TextParts();
			this.notifying = probe(notifications, inbox, texts);
			if (!subscribed.complete(this.address)) {
				inbox.resubscribed();
			}
			if (this.notifying) {
				receive(connection, notifications, inbox, texts);
			}
			else if (!this.closed) {
				warn();
			}
			// The connection returns to its pool.
			execute(connection, "UNLISTEN *");
			return PROBE_INTERVAL;
		}
		catch (RuntimeException ex) {
			connection.abort(Runnable::run);
			throw ex;
		}
		catch (SQLException ex) {
			// The connection may still listen, so it must not return to its pool.
			connection.abort(Runnable::run);
			throw PostgresFailures.isConnectionLost(ex) ? ex : new SQLException(ex.getMessage(), "08006");
		}
	}

	private void lost(Throwable failure, Inbox inbox, CompletableFuture<String> subscribed) {
		LockStoreException translated = (failure instanceof SQLException sql) ? PostgresFailures.translate(sql)
				: new LockStoreException("Failed to listen to grants of locks: " + failure.getMessage(), failure);
		if (!subscribed.completeExceptionally(translated) && this.notifying && !this.closed) {
			this.notifying = false;
			log.warn("The connection for grants of locks is lost, so waiters poll until it is restored: {}",
					translated.getMessage());
			inbox.interrupted();
		}
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/**
	 * Sends a notification to this inbox over another connection, and waits for it.
	 */
	private boolean probe(PGConnection notifications, Inbox inbox, TextParts texts) throws SQLException {
		String probe = PROBE + this.runtime.uniqueId();
		this.commands.run("SELECT pg_notify(?, ?)", (rows) -> true, channel(), probe).toCompletableFuture().join();
		long until = this.runtime.now() + PATIENCE;
		boolean arrived = false;
		while (!arrived && !this.closed && this.runtime.now() - until < 0) {
			arrived = deliver(notifications.getNotifications(POLL_MILLIS), inbox, texts).contains(probe);
		}
		return arrived;
	}

	private void receive(Connection connection, PGConnection notifications, Inbox inbox, TextParts texts)
			throws SQLException {
		long pingAt = this.runtime.now() + PING_INTERVAL;
		while (!this.closed) {
			deliver(notifications.getNotifications(POLL_MILLIS), inbox, texts);
			if (this.runtime.now() - pingAt >= 0) {
				if (!connection.isValid(this.commands.timeoutSeconds())) {
					throw new SQLException("the server does not answer", "08006");
				}
				pingAt = this.runtime.now() + PING_INTERVAL;
			}
		}
	}

	private void warn() {
		if (this.warned.compareAndSet(false, true)) {
			log.warn(
					"PostgreSQL accepts LISTEN, but a notification did not arrive within {}, so waiters poll. "
							+ "Probably a pooler such as PgBouncer shares connections between transactions. "
							+ "Cure: a DataSource for locks that connects directly, or a pool mode 'session'",
					DurationText.of(Duration.ofNanos(PATIENCE)));
		}
	}

	/**
	 * Delivers notifications.
	 * @return the probes among them
	 */
	private static List<String> deliver(PGNotification @Nullable [] notifications, Inbox inbox, TextParts texts) {
		List<String> probes = new ArrayList<>();
		for (PGNotification notification : (notifications != null) ? notifications : new PGNotification[0]) {
			String message = notification.getParameter();
			if (message.startsWith(PROBE)) {
				probes.add(message);
				continue;
			}
			try {
				deliver(message, inbox, texts);
			}
			catch (RuntimeException ex) {
				log.warn("Failed to handle a notification about a lock", LogSafe.of(ex));
			}
		}
		return probes;
	}

	/**
	 * Delivers a message of an instance or a grant. Lets all waiters look if a grant does
	 * not have the name of its lock.
	 * @param message the message
	 * @param inbox receives it
	 * @param texts the parts of a message so far
	 */
	static void deliver(String message, Inbox inbox, TextParts texts) {
		if (message.startsWith(TextParts.TEXT)) {
			String text = texts.add(message);
			if (text != null) {
				inbox.received(text);
			}
			return;
		}
		String[] fields = message.split(" ", 6);
		if (message.isEmpty() || StoredText.isHash(fields[5])) {
			inbox.resubscribed();
			return;
		}
		int end = fields[5].offsetByCodePoints(0, Integer.parseInt(fields[4]));
		Granted granted = PostgresAnswers.granted(Long.parseLong(fields[0]), Long.parseLong(fields[1]) != 0,
				Long.parseLong(fields[2]));
		inbox.granted(new Grant(StoredText.original(fields[5].substring(0, end)),
				StoredText.original(fields[5].substring(end)), granted, Duration.ofMillis(Long.parseLong(fields[3]))));
	}

}
