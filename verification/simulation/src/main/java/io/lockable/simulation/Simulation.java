package io.lockable.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * One run: several instances, their callers, one or several servers, and the faults of a
 * seed. After the faults, the callers end, and the run has to come to rest.
 */
final class Simulation {

	private static final long MILLISECOND = 1_000_000;

	private static final long TICK = 100 * MILLISECOND;

	// Longer than any call or lease.
	private static final long SETTLING = 30_000 * MILLISECOND;

	// Longer than the companion keys of an idle lock stay.
	private static final long REST = 140_000 * MILLISECOND;

	static {
		Preemption.install();
	}

	private final long seed;

	private final Settings settings;

	private final Trace trace;

	private final Faults faults;

	private final Scheduler scheduler;

	private final List<ServerProcess> servers = new ArrayList<>();

	private final Invariants invariants;

	private final Deadlocks deadlocks = new Deadlocks(this);

	private final Actor actor = new Actor("world");

	private final List<Instance> instances = new ArrayList<>();

	private boolean ending;

	/**
	 * Prepares a run.
	 * @param seed the seed
	 * @param allowed the names of the only faults that happen, or {@code null} for all
	 * @param traced whether to keep the trace
	 * @param plant changes the scripts of the server
	 */
	Simulation(long seed, @Nullable Set<String> allowed, boolean traced, UnaryOperator<String> plant) {
		this.seed = seed;
		this.settings = Settings.of(seed);
		this.trace = new Trace(traced);
		this.faults = new Faults(seed, allowed);
		this.scheduler = new Scheduler(this.trace, this.faults);
		this.faults.clock(this.scheduler::now);
		this.invariants = new Invariants(this);
		startServers(plant);
	}

	private void startServers(UnaryOperator<String> plant) {
		Deployment deployment = this.settings.deployment();
		if (deployment == Deployment.DATABASE) {
			this.servers.add(new SimulatedDatabase(this.scheduler, this.faults, this.trace, this.seed));
			return;
		}
		for (int i = 1; i <= deployment.servers(); i++) {
			SimulatedServer server = switch (deployment) {
				case REPLICATED ->
					new ReplicatedMaster(this.settings, this.scheduler, this.faults, this.trace, this.seed, plant);
				case CLUSTER -> new ClusterNode(i, this.scheduler, this.faults, this.trace, this.seed, plant);
				default -> new SimulatedServer(deployment, (deployment.servers() > 1) ? i : 0, this.scheduler,
						this.faults, this.trace, this.seed, plant);
			};
			server.onFailure((failure) -> this.invariants.violated("0: " + failure));
			if (server instanceof ClusterNode node) {
				this.servers.forEach((other) -> node.meet((ClusterNode) other));
			}
			this.servers.add(server);
		}
	}

	/**
	 * Changes the loaded classes, as each run does. Called before a test changes them
	 * further.
	 */
	static void prepare() {
		// The initialization of this class has done it.
	}

	/**
	 * Runs a seed.
	 * @param seed the seed
	 * @return the result
	 */
	static Result run(long seed) {
		return new Simulation(seed, null, false, UnaryOperator.identity()).run();
	}

	long seed() {
		return this.seed;
	}

	Settings settings() {
		return this.settings;
	}

	Trace trace() {
		return this.trace;
	}

	Faults faults() {
		return this.faults;
	}

	Scheduler scheduler() {
		return this.scheduler;
	}

	/**
	 * Returns the only server, the masters, or the nodes.
	 * @return the servers
	 */
	List<ServerProcess> servers() {
		return this.servers;
	}

	Invariants invariants() {
		return this.invariants;
	}

	Deadlocks deadlocks() {
		return this.deadlocks;
	}

	/**
	 * Returns whether callers start no more calls.
	 * @return whether the load is over
	 */
	boolean isEnding() {
		return this.ending;
	}

	@Nullable Instance instanceOf(String owner) {
		return this.instances.stream()
			.filter((each) -> !each.isDead() && each.runtime().owns(owner))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Runs the simulation.
	 * @return the result
	 */
	Result run() {
		return runUntil(Long.MAX_VALUE);
	}

	/**
	 * Runs the simulation up to a time.
	 * @param until the time, in nanoseconds
	 * @return the result
	 */
	Result runUntil(long until) {
		for (int i = 0; i < this.settings.instances(); i++) {
			later(i * MILLISECOND, this::startInstance);
		}
		later(TICK, this::tick);
		later(this.settings.duration(), () -> {
			this.ending = true;
			this.faults.disable();
		});
		later(this.settings.duration() + REST, () -> {
			this.invariants.checkRest(this.instances);
			this.scheduler.stop();
		});
		Throwable failure = this.scheduler.run(() -> {
			this.invariants.check();
			if (this.scheduler.now() > until) {
				this.scheduler.stop();
			}
		});
		if (failure != null) {
			this.invariants.violated("0: an event failed: " + failure);
		}
		return new Result(this.seed, this.trace.hash(), this.invariants.violation(), this.invariants.grants(),
				this.deadlocks.nested(), this.deadlocks.reports(), this.scheduler.now(), this.faults.happened(),
				this.faults.counts(), this.trace.entries());
	}

	private void later(long time, Runnable task) {
		this.scheduler.at(time, this.actor, task);
	}

	private void startInstance() {
		Instance instance = new Instance("i" + (this.instances.size() + 1), this);
		this.instances.add(instance);
		for (int i = 1; i <= this.settings.callers(); i++) {
			new Caller(this, instance, instance.name() + "." + i).start();
		}
	}

	private void tick() {
		this.servers.forEach(this::disturbServer);
		for (Instance each : List.copyOf(this.instances)) {
			if (!each.isDead() && !each.isStopping()) {
				disturb(each);
			}
		}
		this.invariants.checkSlowly();
		this.deadlocks.check();
		if (this.scheduler.now() < this.settings.duration() + SETTLING) {
			later(this.scheduler.now() + TICK, this::tick);
		}
	}

	private @Nullable Dice strike(Fault fault, String where) {
		Dice dice = this.faults.strike(fault, where);
		if (dice != null) {
			this.trace.add("world", where, fault.name());
		}
		return dice;
	}

	private void disturbServer(ServerProcess server) {
		String name = server.actor().name();
		Dice dice = strike(Fault.RESTART, name);
		if (dice != null && server.isUp()) {
			server.restart(false, down(dice, name));
		}
		if (server instanceof SimulatedServer redis) {
			disturbData(redis);
		}
		dice = strike(Fault.SILENCE, name);
		if (dice != null) {
			server.actor()
				.pauseUntil(this.scheduler.now()
						+ this.faults.lasts(dice.logarithmic(MILLISECOND, 4000 * MILLISECOND), name));
		}
		if (server instanceof SimulatedServer redis) {
			disturbCommands(redis);
		}
		else if (server instanceof SimulatedDatabase database) {
			disturbDatabase(database);
		}
		disturbClock(server);
		if (server instanceof SimulatedServer redis) {
			disturbKeys(redis);
		}
	}

	private void disturbData(SimulatedServer server) {
		String name = server.actor().name();
		Dice dice = strike(Fault.RESTART_EMPTY, name);
		if (dice != null && server.isUp()) {
			server.restart(true, downWithoutData(dice, server));
		}
		if (server instanceof ReplicatedMaster master) {
			disturbReplicas(master);
		}
		boolean replicates = this.settings.deployment() == Deployment.SERVER
				|| this.settings.deployment() == Deployment.CLUSTER;
		dice = replicates ? strike(Fault.FAILOVER, name) : null;
		if (dice != null && server.isUp()) {
			this.invariants.excuse(server);
			server.failOver(down(dice, name));
		}
	}

	private void disturbCommands(SimulatedServer server) {
		String name = server.actor().name();
		Dice dice = strike(Fault.SCRIPT_FLUSH, name);
		if (dice != null) {
			server.redis().flushScripts();
		}
		dice = strike(Fault.OUT_OF_MEMORY, name);
		if (dice != null) {
			server.redis().fill(true);
			later(this.scheduler.now() + down(dice, name), () -> server.redis().fill(false));
		}
		dice = strike(Fault.NO_PUBLISH, name);
		if (dice != null) {
			server.redis().refusePublish(true);
			later(this.scheduler.now() + down(dice, name), () -> server.redis().refusePublish(false));
		}
	}

	private void disturbDatabase(SimulatedDatabase database) {
		String name = database.actor().name();
		Dice dice = strike(Fault.NO_PUBLISH, name);
		if (dice != null) {
			database.dropNotifications(true);
			later(this.scheduler.now() + down(dice, name), () -> database.dropNotifications(false));
		}
		dice = strike(Fault.ROW_LOCKED, name);
		if (dice != null) {
			database.lockRow(dice.any(Caller.KEYS),
					this.faults.lasts(dice.logarithmic(MILLISECOND, 3000 * MILLISECOND), name));
		}
	}

	// Longer than tokens are used ahead of the clock, as each restart is.
	private long down(Dice dice, String name) {
		// Clients reconnect up to half a second later.
		return this.faults.lasts(dice.logarithmic(50 * MILLISECOND, 3000 * MILLISECOND), name);
	}

	// A master without data has to stay away for the longest lease. If it does not,
	// exclusion is void, as with one server.
	private long downWithoutData(Dice dice, SimulatedServer server) {
		String name = server.actor().name();
		long down = down(dice, name);
		if (this.settings.isRedlock() && dice.chance(0.8)) {
			return this.faults.lasts(down + Settings.MAX_LEASE.toNanos() * 11 / 10, name);
		}
		this.invariants.excuse(server);
		return down;
	}

	private void disturbReplicas(ReplicatedMaster master) {
		List<String> replicas = master.replicas();
		for (int i = 0; i < replicas.size(); i++) {
			Dice dice = strike(Fault.REPLICA_RESTART, replicas.get(i));
			if (dice != null) {
				master.restartReplica(i, dice.chance(0.3), down(dice, replicas.get(i)));
			}
		}
		Dice dice = strike(Fault.ELECTION, master.actor().name());
		if (dice != null && master.isUp()) {
			master.elect((int) dice.between(0, replicas.size() - 1), down(dice, master.actor().name()))
				.forEach(this.invariants::excuse);
		}
	}

	private void disturbClock(ServerProcess server) {
		Dice dice = strike(Fault.CLOCK_FORWARD, server.actor().name());
		if (dice != null) {
			this.invariants.excuse(server);
			this.invariants.clockStepped(this.settings.isRedlock());
			server.stepClock(dice.logarithmic(1000, 5_000_000));
		}
		dice = strike(Fault.CLOCK_BACK, server.actor().name());
		if (dice != null) {
			this.invariants.clockStepped(true);
			server.stepClock(-dice.logarithmic(1000, 3_000_000));
		}
	}

	private void disturbKeys(SimulatedServer server) {
		Dice dice = strike(Fault.FOREIGN_DELETE, server.actor().name());
		if (dice != null) {
			String key = key(dice, server);
			this.invariants.ousting(key);
			server.foreign("DEL", key);
			this.invariants.ousted(key);
		}
		dice = strike(Fault.FOREIGN_SET, server.actor().name());
		if (dice != null) {
			server.foreign("SET", key(dice, server), "foreign", "NX", "PX", Long.toString(dice.between(10, 1000)));
		}
	}

	private static String key(Dice dice, SimulatedServer server) {
		return dice.any(Caller.KEYS.stream().filter(server::serves).toList());
	}

	private void disturb(Instance instance) {
		Dice dice = strike(Fault.PAUSE, instance.name());
		if (dice != null) {
			long nanos = dice.logarithmic(MILLISECOND, 6000 * MILLISECOND);
			instance.disturb(this.scheduler.now(), nanos);
			instance.pauseUntil(this.scheduler.now() + nanos);
		}
		dice = instance.hasPool() ? strike(Fault.POOL_EXHAUSTED, instance.name()) : null;
		if (dice != null) {
			instance.occupyConnections(
					this.faults.lasts(dice.logarithmic(MILLISECOND, 3000 * MILLISECOND), instance.name()));
		}
		dice = strike(Fault.FORCED_RELEASE, instance.name());
		if (dice != null) {
			forceRelease(instance, dice.any(Caller.KEYS));
		}
		dice = strike(Fault.SHUTDOWN, instance.name());
		if (dice != null) {
			this.scheduler.at(this.scheduler.now(), instance, instance::shutDown);
			later(this.scheduler.now() + dice.between(0, 1000 * MILLISECOND), this::startInstance);
		}
		dice = strike(Fault.CRASH, instance.name());
		if (dice != null) {
			instance.crash();
			this.servers.forEach((server) -> server.closeAll(instance));
			later(this.scheduler.now() + dice.between(0, 1000 * MILLISECOND), this::startInstance);
		}
	}

	/**
	 * Lets an operator release a lock of an instance by force, through another one.
	 * @param holder the instance that has the lock
	 * @param key the lock
	 * @param dice chooses the other instance
	 */
	void forceRelease(Instance holder, String key, Dice dice) {
		List<Instance> others = this.instances.stream()
			.filter((each) -> each != holder && !each.isDead() && !each.isStopping())
			.toList();
		if (!others.isEmpty()) {
			forceRelease(dice.any(others), key);
		}
	}

	private void forceRelease(Instance instance, String key) {
		this.scheduler.at(this.scheduler.now(), instance, () -> {
			this.invariants.ousting(key);
			try {
				instance.engine().forceRelease(key);
			}
			catch (RuntimeException ex) {
				this.trace.add(instance.name(), instance.name(), "forced release failed");
				this.invariants.excuse(key);
			}
			this.invariants.ousted(key);
		});
	}

	/**
	 * The result of a run.
	 *
	 * @param seed the seed
	 * @param hash the hash of all events
	 * @param violation the first violation, or {@code null}
	 * @param grants the number of leases
	 * @param nested the number of waits for a lock while holding another one
	 * @param deadlocks the number of reported deadlocks
	 * @param nanos the simulated time
	 * @param faults the names of the faults that happened
	 * @param counts their number by kind
	 * @param trace what happened, if it was kept
	 */
	record Result(long seed, long hash, @Nullable String violation, int grants, int nested, int deadlocks, long nanos,
			Set<String> faults, Map<Fault, Integer> counts, List<Trace.Entry> trace) {

	}

}
