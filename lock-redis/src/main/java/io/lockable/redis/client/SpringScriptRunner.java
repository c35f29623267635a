package io.lockable.redis.client;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Runs scripts over any client of Spring Data Redis, such as Jedis, each on a connection
 * of the client's pool. The calling thread blocks until the answer, or a thread of the
 * {@linkplain ServerThreads server}.
 */
final class SpringScriptRunner implements ScriptRunner {

	/**
	 * The default number of commands that calling threads have in flight. A client's pool
	 * has eight connections by default, and the subscription takes one.
	 */
	static final int DEFAULT_MAX_COMMANDS = 7;

	/**
	 * The time after which a call fails if no earlier command was answered. A hanging
	 * server then costs a thread little more than the client's timeout.
	 */
	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

	private final RedisConnectionFactory connectionFactory;

	private final SlotRule slots;

	private final SlotMasters masters;

	// Not fair: a place reserved for a virtual thread without a carrier stays empty.
	private final Semaphore inFlight;

	private final @Nullable ServerThreads threads;

	/**
	 * Creates a runner.
	 * @param connectionFactory the source of connections
	 * @param singleServer whether the client connects to a single server, not to a
	 * cluster
	 * @param maxCommands the number of commands that calling threads have in flight
	 * @param threads the name of the threads that block for each server; {@code null} if
	 * the calling threads block
	 * @param runtime reads the masters of a cluster
	 */
	SpringScriptRunner(RedisConnectionFactory connectionFactory, boolean singleServer, int maxCommands,
			@Nullable String threads, EngineRuntime runtime) {
		this.connectionFactory = connectionFactory;
		this.slots = new SlotRule(singleServer);
		this.masters = new SlotMasters(connectionFactory, runtime);
		this.inFlight = new Semaphore(maxCommands);
		this.threads = (threads != null) ? new ServerThreads(threads, ServerThreads.THREADS) : null;
	}

	@Override
	public void run(ScriptCall<?> call) {
		if (this.threads != null) {
			this.threads.run(server(call.keys()[0]), () -> send(call), call::fail);
			return;
		}
		// An interrupt is deferred: it must not keep a release from being sent.
		boolean interrupted = Thread.interrupted();
		boolean entered = false;
		long end = System.nanoTime() + PATIENCE;
		do {
			try {
				entered = this.inFlight.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		while (!entered && end - System.nanoTime() > 0);
		try {
			if (entered) {
				send(call);
			}
			else {
				call.fail(new LockStoreException("Redis failed: too many commands wait for an answer", null));
			}
		}
		finally {
			if (entered) {
				this.inFlight.release();
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void send(ScriptCall<?> call) {
		List<Long> integers;
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			integers = integers(evaluate(connection, call));
		}
		catch (Throwable ex) {
			// Errors are caught as well: other threads may wait for the answer.
			if (RedisFailures.isInterrupted(ex)) {
				Thread.currentThread().interrupt();
			}
			if (!this.slots.isSingleServer()) {
				this.masters.refresh();
			}
			call.fail(ex);
			return;
		}
		call.complete(integers, true);
	}

	private static @Nullable Object evaluate(RedisConnection connection, ScriptCall<?> call) {
		LuaScript script = call.script();
		int keys = call.keys().length;
		byte[][] keysAndArguments = call.keysAndArguments();
		if (!script.is(LuaScript.Trait.BY_SOURCE)) {
			try {
				return connection.scriptingCommands().evalSha(script.digest(), script.answer(), keys, keysAndArguments);
			}
			catch (RuntimeException ex) {
				if (!RedisFailures.isUnknownScript(ex)) {
					throw ex;
				}
			}
		}
		return connection.scriptingCommands()
			.eval(ScriptArguments.bytes(script.source()), script.answer(), keys, keysAndArguments);
	}

	@SuppressWarnings("unchecked")
	private static List<Long> integers(@Nullable Object answer) {
		if (answer instanceof Long integer) {
			return List.of(integer);
		}
		if (answer instanceof List<?> list) {
			return (List<Long>) list;
		}
		throw new IllegalStateException("The script must return integers, was " + answer);
	}

	@Override
	public boolean isBlocking() {
		return this.threads == null;
	}

	@Override
	public SlotRule slots() {
		return this.slots;
	}

	@Override
	public Object server(byte[] key) {
		return this.slots.isSingleServer() ? this : this.masters.of(key);
	}

	/**
	 * Rejects new scripts if threads run them. Scripts already sent complete.
	 */
	@Override
	public void close() {
		if (this.threads != null) {
			this.threads.close();
		}
	}

}
