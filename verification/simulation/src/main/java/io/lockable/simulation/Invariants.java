package io.lockable.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * What must hold, checked after each event.
 *
 * <ol start="0">
 * <li>No event throws an exception, and no script fails without a reason.</li>
 * <li>Of the leases of a key that are valid on their holders' own clocks, one is
 * exclusive and there is no other, or no more than its permits are shares. The fencing
 * token of a new lease is larger than those before it. With replicas, enough of them have
 * acknowledged each lease and its extensions.</li>
 * <li>A call ends by its wait, two command timeouts and a bound. An interrupt ends a
 * wait, or stays. No waiter stands beside a free lock for longer than the look interval
 * and a bound. A store fails only after a fault.</li>
 * <li>An owner token on the server is known to its instance: held, waiting, retained, to
 * be withdrawn, or in an open command.</li>
 * <li>A lease ends before its local deadline only if the lock was really lost, and each
 * loss is reported by then.</li>
 * <li>At rest, the server has only the last tokens, the engines are idle, and no timer is
 * armed.</li>
 * </ol>
 *
 * <p>
 * A server that loses or changes a lock voids exclusion for the longest lease. The key is
 * <em>excused</em> until then.
 *
 * @see <a href=
 * "https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Distributed
 * locks with Redis</a>
 */
final class Invariants {

	private static final long SECOND = 1_000_000_000;

	private static final long BOUND = SECOND;

	private static final long RECOVERY = 3 * SECOND;

	private static final long UNKNOWN_BOUND = SECOND / 5;

	private final Simulation world;

	private final List<Held> held = new ArrayList<>();

	private final Set<Call> calls = new LinkedHashSet<>();

	private final Map<Call, Long> interruptedAt = new HashMap<>();

	private final Map<String, Long> excusedUntil = new HashMap<>();

	// Until then, a lease may also overlap those that were granted after it.
	private final Map<String, Long> overlapsUntil = new HashMap<>();

	private final List<String> ousting = new ArrayList<>();

	// The last fencing token before the lock was taken from its holder.
	private final Map<String, Long> oustedUpTo = new HashMap<>();

	private final Map<String, Long> lastToken = new HashMap<>();

	private final Map<String, Long> lastExclusiveToken = new HashMap<>();

	private final Map<String, Long> freeSince = new HashMap<>();

	// The last time at which an instance had a reason not to ask for a lock.
	private final Map<String, Long> contentAt = new HashMap<>();

	private final Map<String, Suspect> suspects = new HashMap<>();

	private boolean tokensMayRepeat;

	private @Nullable String violation;

	private int grants;

	Invariants(Simulation world) {
		this.world = world;
	}

	@Nullable String violation() {
		return this.violation;
	}

	int grants() {
		return this.grants;
	}

	/**
	 * Records a violation and ends the run. The first one counts.
	 * @param text describes it
	 */
	void violated(String text) {
		if (this.violation == null) {
			this.violation = text;
			this.world.trace().add("invariants", "invariants", text);
			this.world.scheduler().stop();
		}
	}

	/**
	 * Excuses a key whose lock the server has lost or changed.
	 * @param key the key
	 */
	void excuse(String key) {
		this.overlapsUntil.put(key, now() + excuse());
		this.excusedUntil.put(key, now() + excuse());
	}

	/**
	 * Records that the lock of a key is about to be taken from its holder.
	 * @param key the key
	 */
	void ousting(String key) {
		this.excusedUntil.put(key, now() + excuse());
		this.ousting.add(key);
	}

	/**
	 * Excuses the leases of a key that are granted so far, because the lock was taken
	 * from its holder.
	 * @param key the key
	 */
	void ousted(String key) {
		this.ousting.remove(key);
		this.excusedUntil.put(key, now() + excuse());
		this.oustedUpTo.put(key, serversOf(key).stream().mapToLong((each) -> each.lastToken(key)).max().orElse(0));
	}

	/**
	 * Excuses all keys of a server.
	 * @param server the server
	 */
	void excuse(ServerProcess server) {
		Caller.KEYS.stream().filter(server::serves).forEach(this::excuse);
	}

	/**
	 * Records that the clock of a server was changed. A server that also loses its data
	 * may repeat tokens if its clock was set back, or if another master's clock is ahead.
	 * @param tokens whether tokens may repeat
	 */
	void clockStepped(boolean tokens) {
		this.tokensMayRepeat |= tokens;
	}

	private long excuse() {
		return Settings.MAX_LEASE.toNanos() * 11 / 10 + this.world.settings().commandTimeout().toNanos() + SECOND;
	}

	private boolean isExcused(String key, long time) {
		return time < this.excusedUntil.getOrDefault(key, 0L);
	}

	private long now() {
		return this.world.scheduler().now();
	}

	// Calls

	/**
	 * Records the start of a call.
	 * @param instance the instance
	 * @param keys the locks that it waits for
	 * @param wait its wait time in nanoseconds
	 * @param what describes it
	 * @return the call
	 */
	Call called(Instance instance, List<String> keys, long wait, String what) {
		// The first call of an instance opens the store, which takes the connect timeout.
		long opening = instance.isOpen() ? 0
				: instance.connectTimeout() + this.world.settings().commandTimeout().toNanos();
		// An answer that arrives late in its lease is confirmed by a second command.
		long limit = wait + opening + 2 * this.world.settings().commandTimeout().toNanos() + BOUND;
		Call call = Call.of(instance, keys, wait > 0, now(), limit, what);
		this.calls.add(call);
		return call;
	}

	/**
	 * Records that a call has failed. A store fails only after a fault of the servers of
	 * the locks.
	 * @param call the call
	 * @param failure the failure
	 */
	void failed(Call call, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		if (cause instanceof LockStoreException && call.calm() && call.delay() == 0 && !call.instance().isStopping()
				&& lastFault(call.keys()) + RECOVERY < call.startedAt()) {
			violated("2: %s of %s failed without a fault: %s".formatted(call.what(), call.instance(), cause));
		}
	}

	/**
	 * Records that the thread of a call is interrupted. A wait that is not over ends.
	 * @param call the call, which may have ended
	 */
	void interrupted(Call call) {
		if (this.calls.contains(call)) {
			this.interruptedAt.put(call, now());
		}
	}

	void ended(Call call) {
		this.calls.remove(call);
		this.interruptedAt.remove(call);
	}

	// Leases

	/**
	 * Records that a caller has received a lease.
	 * @param lease the lease
	 */
	void granted(Held lease) {
		this.grants++;
		this.held.add(lease);
		if (lease.isValid()) {
			lease.valid(now());
			lease.keys().forEach((key) -> checkToken(lease, key, lease.lease().fencingToken(key)));
			this.world.servers().forEach((server) -> checkAcknowledged(lease, server));
		}
		lease.lease().lost().thenAccept((lost) -> lost(lease, lost.reason().name()));
	}

	private void checkToken(Held lease, String key, long token) {
		Map<String, Long> before = lease.isExclusive() ? this.lastToken : this.lastExclusiveToken;
		long last = before.getOrDefault(key, 0L);
		if (token <= last && !isExcused(key, now()) && !this.tokensMayRepeat) {
			violated("1: the token %d of %s is not larger than %d".formatted(token, lease, last));
		}
		this.lastToken.merge(key, token, Math::max);
		if (lease.isExclusive()) {
			this.lastExclusiveToken.merge(key, token, Math::max);
		}
	}

	// Clocks run at rates of their own.
	private void checkAcknowledged(Held lease, ServerProcess server) {
		if (server instanceof ReplicatedMaster master && lease.isValid()
				&& lease.keys().stream().noneMatch((key) -> isExcused(key, now()))) {
			for (String owner : lease.lease().owner().split(",", -1)) {
				if (lease.deadline() - SECOND / 20 > master.acknowledgedUntil(owner)) {
					violated("1: %s counts although too few replicas have acknowledged %s".formatted(lease, owner));
				}
			}
		}
	}

	private void lost(Held lease, String reason) {
		lease.lost(reason);
		boolean real = reason.equals("FORCED") || reason.equals("SHUTDOWN") || reason.equals("MAX_HOLD")
				|| lease.keys().stream().anyMatch((key) -> isExcused(key, now()));
		if (!real && !lease.isReleased() && lease.endedEarly()) {
			violated(
					"4: %s is reported as lost (%s) before its deadline, and nothing took it".formatted(lease, reason));
		}
	}

	/**
	 * Records the answer to a release. If the command timeout is over before the command
	 * is sent, the engine withdraws the owner token itself, and the answer is worthless.
	 * @param lease the lease
	 * @param wasValid whether it was valid when it was released
	 * @param ours whether the lock was held
	 */
	void released(Held lease, boolean wasValid, boolean ours) {
		boolean inTime = now() - lease.releasedAt() < this.world.settings().commandTimeout().toNanos() * 9 / 10;
		if (wasValid && !ours && inTime && now() < lease.endAfterRelease()
				&& lease.keys().stream().noneMatch((key) -> isExcused(key, now()))) {
			violated("4: the release of %s found no lock before its deadline".formatted(lease));
		}
	}

	// Checks

	/**
	 * Checks the leases, after each event.
	 */
	void check() {
		if (this.held.isEmpty()) {
			return;
		}
		long now = now();
		for (Iterator<Held> all = this.held.iterator(); all.hasNext();) {
			Held each = all.next();
			if (each.isValid()) {
				each.valid(now);
			}
			else if (each.isReleased() || each.instance().isDead() || each.loss() != null || !each.wasValid()) {
				all.remove();
			}
			else {
				each.seenInvalid(now);
			}
		}
		for (int i = 1; i < this.held.size(); i++) {
			for (int j = 0; j < i; j++) {
				checkTogether(this.held.get(i), this.held.get(j), now);
			}
		}
	}

	private void checkTogether(Held one, Held other, long now) {
		if (!one.isValid() || !other.isValid()) {
			return;
		}
		for (String key : one.keys()) {
			if (!other.keys().contains(key)) {
				continue;
			}
			if (one.isExclusive() || other.isExclusive()) {
				if (!mayOverlap(one, other, key, now)) {
					violated("1: %s and %s are valid at once".formatted(other, one));
				}
			}
			else if (!isExcused(key, now)
					&& this.held.stream().filter((each) -> each.keys().contains(key) && each.isValid()).count() > one
						.permits()) {
				violated("1: '%s' has more holders than permits: %s".formatted(key, this.held));
			}
		}
	}

	private boolean mayOverlap(Held one, Held other, String key, long now) {
		long older = Math.min(one.lease().fencingToken(key), other.lease().fencingToken(key));
		return this.ousting.contains(key) || now < this.overlapsUntil.getOrDefault(key, 0L) || (isExcused(key, now)
				&& (this.world.settings().isRedlock() || older <= this.oustedUpTo.getOrDefault(key, 0L)));
	}

	/**
	 * Checks what takes longer than an event, a few times a second.
	 */
	void checkSlowly() {
		long now = now();
		this.calls.removeIf((call) -> call.instance().isDead());
		for (Call call : this.calls) {
			if (call.isLate(now)) {
				violated("2: %s of %s has not ended after %d ms".formatted(call.what(), call.instance(),
						(now - call.startedAt()) / 1_000_000));
			}
		}
		// A command on a database does not notice an interrupt.
		long interrupted = BOUND + ((this.world.settings().deployment() == Deployment.DATABASE)
				? this.world.settings().commandTimeout().toNanos() : 0);
		this.interruptedAt.forEach((call, at) -> {
			if (!call.instance().isDead() && now - Math.max(at, call.instance().disturbedUntil()) > interrupted) {
				violated("2: %s of %s has not ended after an interrupt".formatted(call.what(), call.instance()));
			}
		});
		for (Held each : this.held) {
			this.world.servers().forEach((server) -> checkAcknowledged(each, server));
			if (each.isLossLate(now)) {
				violated("4: the loss of %s is not reported".formatted(each));
			}
		}
		for (String key : Caller.KEYS) {
			checkWaiters(key, now);
			serversOf(key).forEach((server) -> checkOwners(key, server, now));
		}
		this.suspects.values().removeIf((suspect) -> suspect.seenAt() < now);
	}

	private void checkWaiters(String key, long now) {
		if (!isFree(key)) {
			this.freeSince.remove(key);
			return;
		}
		long free = Math.max(this.freeSince.computeIfAbsent(key, (absent) -> now), lastFault(List.of(key)));
		long bound = this.world.settings().waiterTimeout().toNanos() + BOUND;
		for (Held each : this.held) {
			if (each.keys().contains(key) && each.isValid()) {
				// Without renewal, it may not know that its lock was deleted.
				this.contentAt.put(each.instance() + " " + key, now);
			}
		}
		for (Call call : this.calls) {
			if (!call.instance().isOpen()) {
				this.contentAt.put(call.instance() + " " + key, now);
			}
			long since = Math.max(free, this.contentAt.getOrDefault(call.instance() + " " + key, 0L));
			if (call.patient() && call.keys().equals(List.of(key))
					&& now - Math.max(since, call.startedAt()) > bound + call.delay()) {
				violated("2: %s of %s waits beside a free lock '%s'".formatted(call.what(), call.instance(), key));
			}
		}
	}

	// A fault of a node of a cluster does not disturb the locks of others.
	private long lastFault(List<String> keys) {
		List<ServerProcess> others = this.world.servers()
			.stream()
			.filter((server) -> keys.stream().noneMatch(server::serves))
			.toList();
		return this.world.faults().lastAt((place) -> others.stream().noneMatch((other) -> other.isAt(place)));
	}

	private List<ServerProcess> serversOf(String key) {
		return this.world.servers().stream().filter((server) -> server.serves(key)).toList();
	}

	// On a majority of the masters.
	private boolean isFree(String key) {
		List<ServerProcess> servers = serversOf(key);
		return servers.stream().filter((server) -> isFree(key, server)).count() > servers.size() / 2;
	}

	private static boolean isFree(String key, ServerProcess server) {
		return server.isUp() && server.isFree(key);
	}

	private void checkOwners(String key, ServerProcess server, long now) {
		for (String owner : server.owners(key)) {
			Instance instance = this.world.instanceOf(owner);
			if (instance != null && !owner.endsWith(":kept") && !isStray(owner) && !instance.isStopping()
					&& !instance.knows(key, owner)) {
				Suspect suspect = this.suspects.compute(key + ' ' + owner,
						(same, before) -> new Suspect((before != null) ? before.since() : now, now));
				if (now - Math.max(suspect.since(), instance.disturbedUntil()) > UNKNOWN_BOUND) {
					violated("3: %s has %s for '%s', which %s does not know".formatted(server.actor(), owner, key,
							instance));
				}
			}
		}
	}

	private boolean isStray(String owner) {
		return this.world.servers().stream().anyMatch((server) -> server.isStray(owner));
	}

	/**
	 * Checks that the run has come to rest.
	 * @param instances the instances
	 */
	void checkRest(List<Instance> instances) {
		for (ServerProcess server : this.world.servers()) {
			List<String> left = server.leftovers();
			if (!left.isEmpty()) {
				violated("5: %s still has %s".formatted(server.actor(), left));
			}
		}
		for (Instance each : instances) {
			if (!each.isDead() && each.isBusy()) {
				violated("5: %s is not idle: %s".formatted(each, each.describe()));
			}
		}
	}

	/**
	 * An owner token that its instance does not know.
	 *
	 * @param since the time at which it was first seen
	 * @param seenAt the last time at which it was seen
	 */
	private record Suspect(long since, long seenAt) {

	}

}
