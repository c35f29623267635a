package io.lockable.postgresql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.MessagingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import io.lockable.text.LogSafe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock store on PostgreSQL.
 *
 * <p>
 * <b>Data:</b> the tables and functions of the resource
 * {@code io/lockable/postgresql/schema.sql}, which the application creates. Each command
 * is one statement, in a transaction of its own. Only the server's clock decides on
 * expiry. Rows of free locks are deleted later.
 *
 * <p>
 * <b>Threads and connections:</b> commands block the calling thread. Holders need a
 * connection to release, so the {@code DataSource} should serve locks alone. It must have
 * autocommit connections with the isolation level {@code READ COMMITTED}, and must not
 * join the caller's transaction. One connection and one thread wait for notifications as
 * soon as the first waiter waits, or a lock has been held for a second.
 *
 * <p>
 * <b>Requirements:</b> PostgreSQL 14 or later with the encoding {@code UTF8}, and the
 * driver {@code org.postgresql:postgresql}.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public final class PostgresLockStore implements SharingLockStore, MessagingLockStore, InspectableLockStore {

	/**
	 * The default command timeout, that of an engine.
	 */
	public static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(3);

	private static final Logger log = LoggerFactory.getLogger(PostgresLockStore.class);

	private static final long SWEEP_INTERVAL = TimeUnit.MINUTES.toNanos(1);

	// The holder's transaction protects the lock until its end, which nothing announces
	private static final Acquisition BLOCKED = new Refused(Duration.ofSeconds(1));

	private static final String LOOK = """
			SELECT coalesce(l.owner, s.owner) AS owner, l.owner IS NULL AS shared,
				lockable_micros(coalesce(s.ends, l.ends)) - lockable_micros(clock_timestamp()) AS remaining,
				(SELECT count(*) FROM lockable_waiter w WHERE w.key = k.key) AS waiting
			FROM (SELECT ?::text COLLATE "C" AS key) k
			LEFT JOIN lockable_lock l ON l.key = k.key AND l.ends > clock_timestamp()
			LEFT JOIN lockable_share s ON s.key = l.key AND l.owner IS NULL AND s.ends > clock_timestamp()""";

	private static final String MISSING_PERMISSIONS = """
			SELECT string_agg(p.name, ', ') FROM (
				SELECT privilege || ' ON ' || name AS name
				FROM unnest(ARRAY['lockable_lock', 'lockable_share', 'lockable_waiter']) name,
					unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) privilege
				WHERE NOT has_table_privilege(name, privilege)
				UNION ALL
				SELECT 'EXECUTE ON ' || oid::regprocedure FROM pg_proc
				WHERE proname LIKE 'lockable\\_%' AND pg_function_is_visible(oid) AND NOT has_function_privilege(oid, 'EXECUTE')
			) p""";

	private final PostgresCommands commands;

	private final EngineRuntime runtime;

	private final boolean ownsRuntime;

	private final PostgresInbox inbox;

	private final AtomicBoolean claimed = new AtomicBoolean();

	private final AtomicBoolean sweeping = new AtomicBoolean();

	private volatile boolean closed;

	/**
	 * Creates a store with the default command timeout. Sends no command.
	 * @param dataSource the pool of connections
	 */
	public PostgresLockStore(DataSource dataSource) {
		this(dataSource, DEFAULT_COMMAND_TIMEOUT);
	}

	/**
	 * Creates a store. Sends no command.
	 * @param dataSource the pool of connections
	 * @param commandTimeout the time after which the driver cancels a command, rounded up
	 * to seconds; positive. Set the timeouts of the pool and of the engine to the same
	 * value
	 */
	public PostgresLockStore(DataSource dataSource, Duration commandTimeout) {
		this(dataSource, commandTimeout, new SystemRuntime(), true);
	}

	/**
	 * Creates a store with a runtime that the caller closes after the store. Sends no
	 * command.
	 * @param dataSource the pool of connections
	 * @param commandTimeout the time after which the driver cancels a command, rounded up
	 * to seconds; positive
	 * @param runtime the time and the threads of the store
	 */
	public PostgresLockStore(DataSource dataSource, Duration commandTimeout, EngineRuntime runtime) {
		this(dataSource, commandTimeout, runtime, false);
	}

	private PostgresLockStore(DataSource dataSource, Duration commandTimeout, EngineRuntime runtime,
			boolean ownsRuntime) {
		Objects.requireNonNull(dataSource, "'dataSource' must not be null");
		if (commandTimeout.isNegative() || commandTimeout.isZero()) {
			throw new IllegalArgumentException("'commandTimeout' must be positive, was " + commandTimeout);
		}
		this.commands = new PostgresCommands(dataSource, commandTimeout);
		this.runtime = Objects.requireNonNull(runtime, "'runtime' must not be null");
		this.ownsRuntime = ownsRuntime;
		this.inbox = new PostgresInbox(this.commands, runtime);
	}

	/**
	 * Creates the tables and functions, or replaces functions of an earlier version.
	 * Several instances may do so at once.
	 * @param dataSource connections of a user that may create them
	 * @throws LockStoreException if this failed; nothing has changed
	 */
	public static void createSchema(DataSource dataSource) {
		try (InputStream schema = PostgresLockStore.class.getResourceAsStream("schema.sql");
				Connection connection = dataSource.getConnection();
				Statement statement = connection.createStatement()) {
			// Statements that are sent together are one transaction
			statement.execute("SELECT pg_advisory_xact_lock(hashtext('lockable'));"
					+ new String(Objects.requireNonNull(schema).readAllBytes(), StandardCharsets.UTF_8));
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
		}
		catch (SQLException ex) {
			throw PostgresFailures.translate(ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// Acquisition

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return enter(key, owner, lease, 0, "try");
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return enter(key, owner, lease, 0, fair ? "fair" : "queue");
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return enter(key, owner, lease, permits, "try");
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return enter(key, owner, lease, permits, "queue");
	}

	private CompletionStage<Acquisition> enter(String key, String owner, Duration lease, int permits, String way) {
		sweepFromNowOn();
		return this.commands.callUnlessBlocked(() -> BLOCKED, "enter", PostgresAnswers::acquisition,
				StoredText.ofKey(key), StoredText.of(owner), lease.toMillis(), permits, this.inbox.channel(), way);
	}

	@Override
	public boolean canAcquireAll(Collection<String> keys) {
		return true;
	}

	@Override
	public CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		sweepFromNowOn();
		return this.commands.callUnlessBlocked(
				() -> requests.stream().collect(Collectors.toMap(LeaseRequest::key, (request) -> BLOCKED)), "enter_all",
				(rows) -> PostgresAnswers.acquisitions(rows, requests), arguments(requests));
	}

	// Release and extension

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return this.commands.call("release", PostgresAnswers::isTrue, StoredText.ofKey(key), StoredText.of(owner),
				false);
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return this.commands.call("release", PostgresAnswers::isTrue, StoredText.ofKey(key), StoredText.of(owner),
				true);
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return extend(List.of(new LeaseRequest(key, owner, lease))).thenApply((answers) -> answers.get(0));
	}

	/**
	 * Extends the leases of unlocked rows in one command, and then each other lease in
	 * its own.
	 */
	@Override
	public List<CompletionStage<Boolean>> extendAll(List<LeaseRequest> requests) {
		if (requests.isEmpty()) {
			return List.of();
		}
		CompletionStage<List<Boolean>> together = extend(requests);
		return IntStream.range(0, requests.size())
			.mapToObj((index) -> together.thenCompose(
					(answers) -> (answers.get(index) != null) ? CompletableFuture.completedFuture(answers.get(index))
							: extendOnAnotherThread(requests.get(index))))
			.toList();
	}

	// The answers for the other leases must not wait for a locked row.
	private CompletionStage<Boolean> extendOnAnotherThread(LeaseRequest request) {
		return CompletableFuture
			.supplyAsync(() -> extend(request.key(), request.owner(), request.lease()),
					(task) -> this.runtime.execute(Work.STEP, task))
			.thenCompose(Function.identity());
	}

	private CompletionStage<List<Boolean>> extend(List<LeaseRequest> requests) {
		return this.commands.call("extend", PostgresAnswers::extended, arguments(requests));
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return this.commands.call("keep", PostgresAnswers::isTrue, StoredText.ofKey(key), StoredText.of(owner),
				StoredText.of(owner + KEPT), rest.toMillis());
	}

	// Hand-offs

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return transfer(key, owner, successor, lease, 0);
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return transfer(key, owner, successor, lease, 1);
	}

	private CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease,
			int share) {
		return this.commands.call("transfer", PostgresAnswers::acquisition, StoredText.ofKey(key), StoredText.of(owner),
				StoredText.of(successor), lease.toMillis(), share);
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return this.commands.call("yield", PostgresAnswers::yielded, StoredText.ofKey(key), StoredText.of(owner),
				StoredText.of(next), lease.toMillis(), this.inbox.channel());
	}

	// The fence

	/**
	 * Checks leases in a transaction of the same database, before its commit. Until that
	 * transaction ends, no other owner can acquire the locks that are still held, and
	 * their leases can be extended.
	 * @param transaction the connection of the transaction, with the isolation level
	 * {@code READ COMMITTED} and permission to write
	 * @param leases the leases of this store, each of one lock
	 * @return the leases that are lost; the transaction must then be rolled back
	 * @throws LockStoreException if the check failed; the transaction must then be rolled
	 * back
	 */
	public List<Lease> findLost(Connection transaction, List<Lease> leases) {
		try {
			return this.commands.query(transaction, "SELECT lockable_fence(?, ?)",
					(rows) -> PostgresAnswers.lost(rows, leases),
					array(leases, (lease) -> StoredText.ofKey(lease.key())),
					array(leases, (lease) -> StoredText.of(lease.owner())));
		}
		catch (SQLException ex) {
			throw PostgresFailures.translate(ex);
		}
	}

	// Notifications

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return this.inbox.subscribe(inbox);
	}

	@Override
	public boolean isNotifying() {
		return this.inbox.isNotifying();
	}

	// Messages

	@Override
	public String address() {
		return this.inbox.address();
	}

	@Override
	public boolean claimAddress() {
		return this.claimed.compareAndSet(false, true);
	}

	@Override
	public CompletionStage<Long> send(String address, String message) {
		return this.commands.run("SELECT pg_notify(?, part) FROM unnest(?) part", (rows) -> -1L,
				PostgresInbox.channel(address), TextParts.of(message));
	}

	// Queries

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return look(key).thenApply(StoredLock::isHeld);
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return look(key).thenApply(StoredLock::shared);
	}

	@Override
	public CompletionStage<StoredLock> look(String key) {
		return this.commands.run(LOOK, PostgresAnswers::lock, StoredText.ofKey(key));
	}

	/**
	 * Checks the permissions for all tables and functions of locks.
	 */
	@Override
	public CompletionStage<?> checkPermissions(String key) {
		return this.commands.run(MISSING_PERMISSIONS, PostgresAnswers::text).thenAccept((missing) -> {
			if (!missing.isEmpty()) {
				throw new LockStoreException(
						"The database user lacks permissions that locks need. Cure: GRANT " + missing);
			}
		});
	}

	/**
	 * Connects, and fails if a connection does not have the isolation level that the
	 * functions need.
	 */
	@Override
	public CompletionStage<?> connect(String key) {
		return this.commands.run("SHOW transaction_isolation", PostgresAnswers::text).thenCompose((isolation) -> {
			if (!isolation.equals("read committed")) {
				throw new LockStoreException(
						"Locks need the isolation level 'read committed', and connections of the DataSource have '"
								+ isolation + "'. Cure: a DataSource for locks alone");
			}
			return look(key);
		});
	}

	/**
	 * Returns the time to load the driver and to open a connection.
	 */
	@Override
	public Duration connectTimeout() {
		return Duration.ofSeconds(2);
	}

	@Override
	public boolean isBlocking() {
		return true;
	}

	/**
	 * Stops listening and sweeping, soon after. The {@code DataSource} and a runtime of
	 * the caller stay open.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.inbox.close();
		if (this.ownsRuntime) {
			((SystemRuntime) this.runtime).close();
		}
	}

	@Override
	public String toString() {
		return "PostgreSQL";
	}

	private void sweepFromNowOn() {
		if (this.sweeping.compareAndSet(false, true)) {
			sweepLater();
		}
	}

	private void sweepLater() {
		this.runtime.schedule(() -> this.runtime.execute(Work.STEP, this::sweep), this.runtime.now() + SWEEP_INTERVAL);
	}

	private void sweep() {
		if (!this.closed) {
			this.commands.call("sweep", PostgresAnswers::isTrue).whenComplete((isMore, failure) -> {
				if (failure != null) {
					log.warn("Failed to delete the rows of free locks; this is tried again each minute",
							LogSafe.of(failure));
				}
				if (failure == null && isMore) {
					this.runtime.execute(Work.STEP, this::sweep);
				}
				else {
					sweepLater();
				}
			});
		}
	}

	private static Object[] arguments(List<LeaseRequest> requests) {
		return new Object[] { array(requests, (request) -> StoredText.ofKey(request.key())),
				array(requests, (request) -> StoredText.of(request.owner())),
				requests.stream().map((request) -> request.lease().toMillis()).toArray(Long[]::new) };
	}

	private static <T> String[] array(List<T> items, Function<T, String> text) {
		return items.stream().map(text).toArray(String[]::new);
	}

}
