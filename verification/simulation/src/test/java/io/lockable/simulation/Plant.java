package io.lockable.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

import io.lockable.redis.script.LuaScript;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * A defect that a test plants: into a loaded class, or into the text of a script on the
 * server. Published code knows nothing of it.
 */
@SuppressWarnings("ImmutableEnumChecker") // the list and the function are immutable
enum Plant {

	// In the engine

	/**
	 * The answer to a transfer reaches a key that was released behind it, and a
	 * withdrawal that frees the lock before its release does not count as one. The second
	 * defense undoes the harm of the first defect.
	 */
	ANSWER_OF_AN_OVERTAKEN_TRANSFER(new Change("engine.shell.TransferInFlight", "isOvertaken", False.class),
			new Change("engine.shell.OrphanCleanup$Orphan", "isFound", False.class)),

	/** A release behind a transfer that arrives later is not repeated. */
	NO_SECOND_RELEASE_AFTER_A_TRANSFER("engine.shell.ServerRelease", "releaseAgainAfter", Skip.class),

	/** Owner tokens that only the server knows are not withdrawn. */
	NO_WITHDRAWAL("engine.shell.OrphanCleanup", "send", Skip.class),

	/** A lease is valid from its answer on. */
	NO_ALLOWANCE_FOR_THE_WAY("engine.runtime.Deadline", "ofLease", Longer.class),

	/** The end of a lease is ignored. */
	NO_LOCAL_DEADLINE("engine.shell.LeaseTimes", "isOver", False.class),

	/** A wait does not end in time. */
	NO_TIMEOUT("engine.shell.KeyShell", "timeOut", Skip.class),

	/** A holder is not notified of a loss. */
	NO_NOTICE_OF_A_LOSS("engine.shell.LocalLease", "notifyLost", Skip.class),

	/** A lease whose caller has gone is kept. */
	LEASE_OF_A_CANCELLED_CALL("engine.shell.LocalLease", "sendRelease", Skip.class),

	/** The timer does not tick earlier than planned. */
	NO_EARLIER_TICK("engine.runtime.Timer", "wakeAt", SkipIfTicking.class),

	/** A transfer in flight is ignored. */
	TRANSFER_IN_FLIGHT_IS_IGNORED("engine.machine.Holding", "isInSync", True.class),

	/** Any message is believed. */
	ANY_MESSAGE_IS_BELIEVED("engine.machine.AcquiringRules", "isProven", True.class),

	/** Releases are not answered while a lease ends. */
	NO_ANSWER_TO_RELEASES("engine.machine.StepBuilder", "completeReleases", Skip.class),

	/** The leases do not follow the state of the key. */
	LEASE_DOES_NOT_FOLLOW_THE_KEY("engine.shell.KeyShell", "settle", Skip.class),

	/** A key does nothing at its time. */
	NO_STEP_IN_TIME("engine.shell.KeyShell", "due", Skip.class),

	/** A lease does not end at its deadline. */
	NO_END_OF_A_LEASE("engine.shell.LocalLease", "expire", Skip.class),

	/** A release that fails is forgotten. */
	FAILED_RELEASE_IS_FORGOTTEN("engine.shell.OrphanCleanup", "released", NoFailure.class),

	// In the watch for deadlocks

	/** The waits of all requests count as those of a holder without a thread. */
	REQUESTS_ARE_CONFUSED("engine.watch.LocalLocks", "request", SameText.class),

	/** Each call of a deadlock reports it. */
	DEADLOCK_IS_REPORTED_BY_EACH_CALL("engine.watch.Wait", "isOlderThan", True.class),

	/** No other instance is asked. */
	DEADLOCK_OF_SEVERAL_INSTANCES_IS_NOT_FOUND("engine.watch.Inquiries", "received", Skip.class),

	// In the client

	/** An answer to a command that was sent twice counts as the only one. */
	RESENT_COMMAND_COUNTS_AS_SENT_ONCE("redis.client.LettuceCommand", "isSentOnce", True.class),

	/** Queued scripts are not written. */
	QUEUED_SCRIPTS_STAY("redis.client.LettucePipeline", "drainLater", Skip.class),

	/** A worker of a blocking client does not look at the queue after it has left. */
	WORKER_DOES_NOT_LOOK_AGAIN("redis.client.ServerThreads$Server", "isNeeded", False.class),

	/** The answers of a pipeline are given to the wrong scripts. */
	ANSWERS_OF_A_PIPELINE_ARE_SWAPPED("redis.client.SpringScriptRunner", "evaluateTogether", Reversed.class),

	// For interrupts

	/** A call that an interrupt ends does not withdraw its request. */
	INTERRUPTED_CALL_IS_NOT_WITHDRAWN("engine.lock.Acquirer", "leave", Skip.class),

	/** An interrupt during a wait for the store is lost. */
	INTERRUPT_IS_LOST("engine.shell.StoreAccess", "await", NotInterrupted.class),

	/** A lost subscription of a blocking client is not restored. */
	LOST_SUBSCRIPTION_STAYS_LOST("redis.RedisInbox", "listenLater", Skip.class),

	// In the store on several masters

	/** Two of five masters count as a majority. */
	MINORITY_IS_ENOUGH("redis.Votes", "majority", Two.class),

	/** A majority confirms the lock, but does not store its fencing token. */
	TOKEN_IS_NOT_WRITTEN_BACK("redlock_settle", "store_token(tonumber(ARGV[2]), clock())", ""),

	/** A master confirms a release, and has the lock still. */
	RELEASE_LEAVES_THE_LOCK("redlock_release", "redis.call('DEL', KEYS[1])", ""),

	// With replicas

	/** A lock counts without acknowledgements. */
	MISSING_ACKNOWLEDGEMENT_COUNTS("redis.client.ReplicatedRunner", "missing", NoValue.class),

	/** One replica is enough. */
	ONE_REPLICA_IS_ENOUGH("redis.client.ReplicaQuorum", "needed", One.class),

	/** The grant of a release counts without the holder's own command. */
	UNCONFIRMED_GRANT_COUNTS("redis.RedisLockStore", "needsConfirmation", False.class),

	/** An extension does not wait for replicas. */
	EXTENSION_WITHOUT_ACKNOWLEDGEMENT("redis.script.LuaScript", "mayGrant", NotExtending.class),

	/** The command that confirms a grant writes nothing, so its wait covers no write. */
	CONFIRMATION_WRITES_NOTHING("enqueue",
			"redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(lease)))\n  return token",
			"return token"),

	// In a cluster

	/** One script has locks of several nodes. */
	SCRIPT_OVER_SEVERAL_NODES("redis.script.SlotRule", "mayMix", True.class),

	/** All nodes share one circuit breaker. */
	ONE_BREAKER_FOR_ALL_NODES("redis.RedisLockStore", "server", Same.class),

	/** Nothing finds the new master of a node. */
	TOPOLOGY_IS_NOT_READ_AGAIN("redis.client.ClusterTopology", "refresh", Skip.class),

	// In the scripts

	/** A release frees the lock of another owner. */
	RELEASE_OF_ANY_OWNER("release", "if holder == ARGV[1] then", "if holder and holder ~= 'lockable:shared' then"),

	/** A withdrawn owner token stays in the queue. */
	WITHDRAWAL_LEAVES_THE_QUEUE("withdraw", "clock()\nleave_queue(owner)", "clock()"),

	/** A withdrawal keeps the lock that was granted meanwhile. */
	WITHDRAWAL_KEEPS_THE_LOCK("withdraw", "return release(owner, now)", "return 0"),

	/** A transfer takes the lock of any holder. */
	TRANSFER_FROM_ANY_OWNER("transfer", "if holder ~= owner and holder ~= successor then", "if not holder then"),

	/** A semaphore has one permit too many. */
	ONE_PERMIT_TOO_MANY("share", "count < permits", "count <= permits"),

	/** A share enters beside an exclusive holder. */
	SHARE_BESIDE_A_WRITER("share", "if not holder or holder == SHARED then", "if true then"),

	/** The last share does not free the lock. */
	LAST_SHARE_STAYS("release", "count - left", "count"),

	/** Fencing tokens repeat. */
	TOKENS_REPEAT("enqueue", "return granted(now, reserve(now))", "return granted(now, 1700000000000000)"),

	/** Several locks are taken although one of them is held. */
	SEVERAL_LOCKS_ARE_TAKEN_APART("acquire_all", "if not free then", "if false then"),

	/** The share after a downgrade ends early. */
	DOWNGRADE_TO_A_SHORT_LEASE("downgrade", "add_holder(successor, lease, last",
			"add_holder(successor, lease / 10, last"),

	/** A holder that has lost its lock exchanges that of another one. */
	DOWNGRADE_FROM_ANY_OWNER("downgrade", "if holder ~= owner then", "if false then"),

	/** A lock without expiry stays after a crash. */
	LOCK_WITHOUT_EXPIRY("enqueue", "redis.call('SET', KEYS[1], owner, 'PX', lease)",
			"redis.call('SET', KEYS[1], owner)"),

	/** An acquisition overwrites a held lock. */
	ACQUISITION_OVERWRITES_A_LOCK("acquire", "'NX', 'PX'", "'PX'");

	private final List<Change> changes;

	private final UnaryOperator<String> script;

	Plant(String type, String method, Class<?> advice) {
		this(new Change(type, method, advice));
	}

	Plant(Change... changes) {
		this.changes = List.of(changes);
		this.script = UnaryOperator.identity();
	}

	Plant(String script, String from, String to) {
		this.changes = List.of();
		String source = LuaScript.ofList(script).source();
		if (!source.contains(from)) {
			throw new IllegalStateException(this + " finds no place");
		}
		this.script = (text) -> text.equals(source) ? source.replace(from, to) : text;
	}

	/**
	 * Runs seeds with the defect, as the build does without it.
	 * @param first the first seed
	 * @param last the last seed
	 * @return the first run with a violation, or {@code null} if there is none
	 */
	Simulation.@Nullable Result search(long first, long last) {
		return with((scripts) -> LongStream.rangeClosed(first, last)
			.mapToObj((seed) -> new Simulation(seed, null, false, scripts).run())
			.filter((result) -> result.violation() != null)
			.findFirst()
			.orElse(null));
	}

	/**
	 * Plants the defect during an action.
	 * @param <T> the type of the result
	 * @param action receives the change of the scripts
	 * @return the result of the action
	 */
	<T> T with(Function<UnaryOperator<String>, T> action) {
		Simulation.prepare();
		this.changes.forEach((change) -> change.redefine(true));
		try {
			return action.apply(this.script);
		}
		finally {
			this.changes.forEach((change) -> change.redefine(false));
		}
	}

	/**
	 * A change of a loaded class.
	 *
	 * @param type the class, within {@code io.lockable}
	 * @param method the method
	 * @param advice changes the method
	 */
	private record Change(String type, String method, Class<?> advice) {

		void redefine(boolean planted) {
			Class<?> changed = find();
			DynamicType.Builder<?> builder = new ByteBuddy().redefine(changed,
					ClassFileLocator.ForClassLoader.of(changed.getClassLoader()));
			builder = Preemption.with(changed.getName(), builder);
			if (planted) {
				builder = builder.visit(Advice.to(this.advice).on(ElementMatchers.named(this.method)));
			}
			builder.make().load(changed.getClassLoader(), ClassReloadingStrategy.fromInstalledAgent());
		}

		private Class<?> find() {
			try {
				Class<?> found = Class.forName("io.lockable." + this.type);
				if (Arrays.stream(found.getDeclaredMethods()).anyMatch((each) -> each.getName().equals(this.method))) {
					return found;
				}
			}
			catch (ClassNotFoundException ex) {
				// Reported below.
			}
			throw new IllegalStateException(this + " finds no place");
		}

	}

	/** Skips a method. */
	static final class Skip {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean enter() {
			return true;
		}

	}

	/** Returns {@code true}. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class True {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) boolean result) {
			result = true;
		}

	}

	/** Returns {@code false}. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class False {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) boolean result) {
			result = false;
		}

	}

	/** Returns {@code null}. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class NoValue {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) @Nullable Throwable result) {
			result = null;
		}

	}

	/** Returns 1. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class One {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) int result) {
			result = 1;
		}

	}

	/** Returns {@code false} for the script that extends locks. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class NotExtending {

		@Advice.OnMethodExit
		static void exit(@Advice.This Object script, @Advice.Return(readOnly = false) boolean result) {
			result &= !script.toString().equals("extend");
		}

	}

	/** Returns the same for all arguments. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class Same {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) Object result) {
			result = "the same";
		}

	}

	/** Returns the same text for all arguments. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class SameText {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) String result) {
			result = "the same";
		}

	}

	/** Returns 2. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class Two {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) int result) {
			result = 2;
		}

	}

	/** Reverses a list. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class Reversed {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) List<Object> result) {
			result = new ArrayList<>(result);
			Collections.reverse(result);
		}

	}

	/** Ends an interrupt. */
	static final class NotInterrupted {

		@Advice.OnMethodExit
		static void exit() {
			Thread.interrupted();
		}

	}

	/** Makes a failure an answer. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class NoFailure {

		@Advice.OnMethodEnter
		static void enter(@Advice.Argument(value = 1, readOnly = false) Throwable failure) {
			failure = null;
		}

	}

	/** Returns a time that is 100 ms later. */
	@SuppressWarnings("UnusedVariable") // assigned by the advice
	static final class Longer {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) long result) {
			result += 100_000_000;
		}

	}

	/** Skips a method of the timer while a tick is planned. */
	static final class SkipIfTicking {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean enter(@Advice.FieldValue("tickAt") long tickAt) {
			return tickAt != Long.MAX_VALUE;
		}

	}

}
