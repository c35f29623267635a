package io.lockable.simulation;

import java.time.Duration;

import io.lockable.engine.LockEngine;
import io.lockable.redis.Acknowledgements;
import io.lockable.redis.RedisLockStore;
import io.lockable.redis.Replicas;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * One instance of an application: an engine on a Redis store, with its own clock, its own
 * connections and its callers.
 */
final class Instance extends Actor {

	private final VirtualRuntime runtime;

	private final SimulatedClient client;

	private final LockEngine engine;

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
		this.client = world.faults().has(Fault.FAILOVER)
				? new SimulatedClient(this, world.server(), new RedisSentinelConfiguration().master("redis"))
				: new SimulatedClient(this, world.server());
		this.engine = LockEngine
			.builder(new RedisLockStore(new StringRedisTemplate(this.client), Acknowledgements.of(Replicas.NONE),
					world.settings().waiterTimeout(), this.runtime))
			.runtime(this.runtime)
			.commandTimeout(world.settings().commandTimeout())
			.recallTimeout(Duration.ofMillis(dice.between(20, 200)))
			.shutdownTimeout(Duration.ofMillis(dice.between(0, 1000)))
			.build();
	}

	LockEngine engine() {
		return this.engine;
	}

	VirtualRuntime runtime() {
		return this.runtime;
	}

	SimulatedClient client() {
		return this.client;
	}

	/**
	 * Returns whether the store has answered.
	 * @return whether calls no longer wait for the first connection
	 */
	boolean isOpen() {
		return EngineView.isOpen(this.engine);
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
	 * is to be withdrawn, or an open command mentions it.
	 * @param key the lock
	 * @param owner the owner token
	 * @return whether it is known
	 */
	boolean knows(String key, String owner) {
		return EngineView.knows(this.engine, key, owner) || this.client.isOpenFor(owner);
	}

	boolean isBusy() {
		return !EngineView.isIdle(this.engine) || this.runtime.isArmed();
	}

	String describe() {
		return EngineView.describe(this.engine) + (this.runtime.isArmed() ? ", a timer is armed" : "");
	}

}
