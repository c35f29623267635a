package io.lockable.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The process of a server: its clock, its connections, and its restarts.
 */
abstract class ServerProcess {

	private final Scheduler scheduler;

	private final Faults faults;

	private final Trace trace;

	private final long seed;

	private final int number;

	private final Actor actor;

	private final LocalClock clock;

	private final long latency;

	private final Map<String, Link> links = new LinkedHashMap<>();

	private final Set<String> strays = new HashSet<>();

	private boolean up = true;

	private long step;

	/**
	 * Starts a process.
	 * @param name its name
	 * @param number its number; 0 for the only server
	 * @param scheduler runs its events
	 * @param faults its faults
	 * @param trace receives its commands
	 * @param dice chooses the speed of its clock and its latency
	 * @param seed the seed
	 */
	ServerProcess(String name, int number, Scheduler scheduler, Faults faults, Trace trace, Dice dice, long seed) {
		this.actor = new Actor((number > 0) ? name + number : name);
		this.number = number;
		this.scheduler = scheduler;
		this.faults = faults;
		this.trace = trace;
		this.seed = seed;
		this.clock = new LocalClock(0, 1 + dice.between(-3500, 3500) / 1e6);
		this.latency = dice.logarithmic(30_000, 2_000_000);
	}

	Scheduler scheduler() {
		return this.scheduler;
	}

	Faults faults() {
		return this.faults;
	}

	Trace trace() {
		return this.trace;
	}

	long seed() {
		return this.seed;
	}

	Actor actor() {
		return this.actor;
	}

	/**
	 * Returns what the names of the connections to this server start with.
	 * @return nothing for the only server
	 */
	String prefix() {
		return (this.number > 0) ? this.number + "." : "";
	}

	/**
	 * Returns whether a fault happens at this server or at one of its connections.
	 * @param place the place of the fault
	 * @return whether this server has it
	 */
	boolean isAt(String place) {
		return place.equals(this.actor.name()) || place.contains('/' + prefix());
	}

	/**
	 * Returns the time on the clock of the server.
	 * @return nanoseconds since the start of the run
	 */
	long time() {
		return this.clock.at(this.scheduler.now()) + this.step * 1000;
	}

	/**
	 * Sets the clock.
	 * @param micros the change
	 */
	void stepClock(long micros) {
		this.step += micros;
	}

	long latency() {
		return this.latency;
	}

	boolean isUp() {
		return this.up;
	}

	// Locks

	/**
	 * Returns whether this server has a lock.
	 * @param key the lock
	 * @return {@code true}, except for a lock on another node of a cluster
	 */
	boolean serves(String key) {
		return true;
	}

	/**
	 * Returns whether a lock has no holder.
	 * @param key the lock
	 * @return whether the server has no lock or share
	 */
	abstract boolean isFree(String key);

	/**
	 * Returns the owner tokens that hold a lock or a share of it, or wait for it.
	 * @param key the lock
	 * @return the owner tokens
	 */
	abstract List<String> owners(String key);

	/**
	 * Returns the last fencing token that is reserved.
	 * @param key the lock
	 * @return the token, or 0
	 */
	abstract long lastToken(String key);

	/**
	 * Returns what the server has although no lock is in use.
	 * @return a text for each
	 */
	abstract List<String> leftovers();

	/**
	 * Returns whether the instance of an owner token need not know it, because a command
	 * that nobody waits for any more has brought it here.
	 * @param owner the owner token
	 * @return whether it may stay until its lease or its place in the queue expires
	 */
	boolean isStray(String owner) {
		return this.strays.contains(owner);
	}

	void addStrays(Collection<String> owners) {
		this.strays.addAll(owners);
	}

	// Connections

	boolean isConnected(String link) {
		return this.links.containsKey(link);
	}

	void opened(Link link) {
		this.links.put(link.name(), link);
	}

	void closed(Link link) {
		this.links.remove(link.name());
	}

	/**
	 * Closes all connections of a process that has crashed.
	 * @param client the process
	 */
	void closeAll(Actor client) {
		new ArrayList<>(this.links.values()).stream().filter((link) -> link.client() == client).forEach(Link::close);
	}

	// Restarts

	/**
	 * Restarts the server. Its clients reconnect when it is up again.
	 * @param empty whether it loses its data
	 * @param down the time for which it is away
	 */
	abstract void restart(boolean empty, long down);

	void goDown() {
		this.up = false;
		new ArrayList<>(this.links.values()).forEach(Link::close);
	}

	void comeUp(long down, Runnable start) {
		this.scheduler.at(this.scheduler.now() + down, this.actor, () -> {
			start.run();
			this.up = true;
			this.trace.add(this.actor.name(), this.actor.name(), "is up again");
		});
	}

}
