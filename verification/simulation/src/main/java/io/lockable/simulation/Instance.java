package io.lockable.simulation;

import java.time.Duration;
import java.util.List;

import io.lockable.LockEvent;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.DeadlockAction;
import io.lockable.redis.RedisLockStore;
import io.lockable.redis.RedlockLockStore;
import io.lockable.store.LockStore;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * One instance of an application: an engine on a store, with its own clock, its own
 * connections and its callers.
 */
final class Instance extends Actor {

	private final VirtualRuntime runtime;

	private final List<RedisClient> clients;

	private final LockStore store;

	private final LockEngine engine;

	private final DeadlockAction deadlock;

	private boolean stopping;

	/**
	 * Starts an instance.
	 * @param name its name
	 * @param world the simulation
	 */
	Instance(String name, Simulation world) {
		super(name);
		long seed = world.seed();
		Dice dice = Dice.of(seed, "instance " + name);
		LocalClock clock = new LocalClock(dice.between(-1L << 62, 1L << 62), 1 + dice.between(-3500, 3500) / 1e6);
		this.runtime = new VirtualRuntime(world.scheduler(), world.faults(), this, clock, seed);
		this.clients = clients(world);
		this.store = (world.servers().get(0) instanceof SimulatedDatabase database)
				? new DatabaseStore(this, database, world.settings(), this.runtime) : store(world.settings());
		this.deadlock = Dice.of(seed, "deadlock " + name)
			.any(List.of(DeadlockAction.REPORT, DeadlockAction.REPORT, DeadlockAction.BREAK, DeadlockAction.OFF));
		this.engine = LockEngine.builder(this.store)
			.runtime(this.runtime)
			.instance(name)
			.deadlock(this.deadlock)
			.listener((event) -> {
				if (event instanceof LockEvent.Deadlocked report) {
					world.trace().add(name, name, "reports " + report);
					world.deadlocks().reported(report);
				}
			})
			.commandTimeout(world.settings().commandTimeout())
			.recallTimeout(Duration.ofMillis(dice.between(20, 200)))
			.shutdownTimeout(Duration.ofMillis(dice.between(0, 1000)))
			.build();
	}

	private List<RedisClient> clients(Simulation world) {
		List<SimulatedServer> servers = world.servers()
			.stream()
			.filter(SimulatedServer.class::isInstance)
			.map(SimulatedServer.class::cast)
			.toList();
		return (world.settings().deployment() == Deployment.CLUSTER) ? List.of(new ClusterClient(this, servers))
				: servers.stream().map((server) -> client(server, world)).toList();
	}

	private RedisClient client(SimulatedServer server, Simulation world) {
		boolean failsOver = switch (world.settings().deployment()) {
			case SERVER -> world.faults().has(Fault.FAILOVER);
			case REPLICATED -> true;
			default -> false;
		};
		RedisSentinelConfiguration sentinels = failsOver ? new RedisSentinelConfiguration().master("redis") : null;
		if (world.settings().blocking()) {
			return BlockingClient.of(this, server, sentinels);
		}
		return (sentinels != null) ? new SimulatedClient(this, server, sentinels) : new SimulatedClient(this, server);
	}

	private LockStore store(Settings settings) {
		List<StringRedisTemplate> templates = this.clients.stream().map(StringRedisTemplate::new).toList();
		return settings.isRedlock() ? new RedlockLockStore(templates, settings.masterTimeout(), this.runtime)
				: new RedisLockStore(templates.get(0), settings.acknowledgements(), settings.waiterTimeout(),
						this.runtime);
	}

	LockEngine engine() {
		return this.engine;
	}

	VirtualRuntime runtime() {
		return this.runtime;
	}

	/**
	 * Returns whether the store has answered.
	 * @return whether calls no longer wait for the first connection
	 */
	boolean isOpen() {
		return EngineView.isOpen(this.engine);
	}

	boolean reportsDeadlocks() {
		return this.deadlock != DeadlockAction.OFF;
	}

	boolean isStopping() {
		return this.stopping;
	}

	/**
	 * Shuts the instance down. Blocks.
	 */
	void shutDown() {
		this.stopping = true;
		this.engine.close();
		crash();
	}

	/**
	 * Returns whether this instance knows one of its owner tokens: it is held, waits, or
	 * is to be withdrawn, or its store or an open command mentions it.
	 * @param key the lock
	 * @param owner the owner token
	 * @return whether it is known
	 */
	boolean knows(String key, String owner) {
		return EngineView.knows(this.engine, key, owner) || RedlockView.knows(this.store, owner)
				|| (this.store instanceof DatabaseStore database && database.isOpenFor(owner))
				|| this.clients.stream().anyMatch((client) -> client.isOpenFor(owner));
	}

	/**
	 * Returns whether commands take connections of a pool.
	 * @return whether the pool may be empty
	 */
	boolean hasPool() {
		return this.store instanceof DatabaseStore
				|| this.clients.stream().allMatch((client) -> client instanceof BlockingClient);
	}

	/**
	 * Takes all connections of the pool.
	 * @param nanos the time after which they are free again
	 */
	void occupyConnections(long nanos) {
		if (this.store instanceof DatabaseStore database) {
			database.occupy(nanos);
		}
		this.clients.forEach((client) -> ((BlockingClient) client).occupy(nanos));
	}

	/**
	 * Returns the time that is added to the first attempt to open the store.
	 * @return the time in nanoseconds
	 */
	long connectTimeout() {
		return this.store.connectTimeout().toNanos();
	}

	boolean isBusy() {
		return !EngineView.isIdle(this.engine) || this.runtime.isArmed();
	}

	String describe() {
		return EngineView.describe(this.engine) + (this.runtime.isArmed() ? ", a timer is armed" : "");
	}

}
