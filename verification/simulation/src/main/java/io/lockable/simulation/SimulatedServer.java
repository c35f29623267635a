package io.lockable.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.lockable.simulation.redis.RedisError;
import io.lockable.simulation.redis.Reply;
import io.lockable.simulation.redis.SimulatedRedis;
import org.jspecify.annotations.Nullable;

/**
 * The process of a Redis server: its clock, its connections and its faults.
 */
class SimulatedServer {

	private static final long EPOCH_MICROS = 1_700_000_000_000_000L;

	private static final long MAX_DIFFERENCE = 1_500_000;

	private static final long SNAPSHOT_INTERVAL = 20_000_000;

	private static final List<String> ERRORS = List.of("LOADING Redis is loading the dataset in memory",
			"READONLY You can't write against a read only replica.",
			"MISCONF Redis is configured to save RDB snapshots", "NOSCRIPT No matching script. Please use EVAL.",
			"NOPERM this user has no permissions to run the 'evalsha' command");

	private static final Pattern EXPECTED = Pattern.compile("^NOSCRIPT|OOM");

	private final Scheduler scheduler;

	private final Faults faults;

	private final Trace trace;

	private final long seed;

	private final Deployment deployment;

	private final int number;

	private final Actor actor;

	private final SimulatedRedis redis;

	private final LocalClock clock;

	// The wall clocks of several masters differ.
	private final long difference;

	private final long latency;

	private final Map<String, Link> links = new LinkedHashMap<>();

	private final Map<String, Consumer<String>> subscribers = new HashMap<>();

	private final Deque<SimulatedRedis.Snapshot> replica = new ArrayDeque<>();

	private final Set<String> strays = new HashSet<>();

	private Consumer<String> failed = (failure) -> {
	};

	// Since the last snapshot.
	private boolean changed;

	private boolean up = true;

	private long loadingUntil;

	private int address;

	private long step;

	/**
	 * Starts a server.
	 * @param deployment the servers that it is one of
	 * @param number its number; 0 for the only server
	 * @param scheduler runs its events
	 * @param faults its faults
	 * @param trace receives its commands
	 * @param seed the seed
	 * @param plant changes its scripts
	 */
	SimulatedServer(Deployment deployment, int number, Scheduler scheduler, Faults faults, Trace trace, long seed,
			UnaryOperator<String> plant) {
		this.deployment = deployment;
		String suffix = (number > 0) ? Integer.toString(number) : "";
		this.actor = new Actor("redis" + suffix);
		this.number = number;
		this.scheduler = scheduler;
		this.faults = faults;
		this.trace = trace;
		this.seed = seed;
		Dice dice = Dice.of(seed, "server" + suffix);
		this.clock = new LocalClock(0, 1 + dice.between(-3500, 3500) / 1e6);
		this.latency = dice.logarithmic(30_000, 2_000_000);
		this.difference = (number > 0) ? dice.between(-MAX_DIFFERENCE, MAX_DIFFERENCE) : 0;
		this.redis = new SimulatedRedis(this::micros, plant);
		if ((deployment == Deployment.SERVER || deployment == Deployment.CLUSTER) && faults.has(Fault.FAILOVER)) {
			replicate();
		}
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
	 * Returns whether this server has a lock.
	 * @param key the lock
	 * @return {@code true}, except for a lock on another node of a cluster
	 */
	boolean serves(String key) {
		return true;
	}

	SimulatedRedis redis() {
		return this.redis;
	}

	/**
	 * Sets the receiver of errors of scripts that no fault explains.
	 * @param receiver called with the command and its error
	 */
	void onFailure(Consumer<String> receiver) {
		this.failed = receiver;
	}

	/**
	 * Returns whether the instance of an owner token need not know it: a failover has
	 * brought it back, a closed connection has sent it, or its lock is kept. A minority
	 * of the masters may fail to keep it, and then has it until the lease ends.
	 * @param owner the owner token
	 * @return whether it may stay until its lease or its place in the queue expires
	 */
	boolean isStray(String owner) {
		return this.strays.contains(owner);
	}

	private long micros() {
		return EPOCH_MICROS + this.difference + this.clock.at(this.scheduler.now()) / 1000 + this.step;
	}

	long latency() {
		return this.latency;
	}

	boolean isUp() {
		return this.up;
	}

	void opened(Link link) {
		this.links.put(link.name(), link);
	}

	void closed(Link link) {
		this.links.remove(link.name());
		unsubscribe(link);
	}

	void subscribe(String channel, Link link, Consumer<String> receiver) {
		if (link.isOpen()) {
			this.redis.subscribe(channel, link.name());
			this.subscribers.put(link.name(), receiver);
		}
	}

	void unsubscribe(Link link) {
		this.subscribers.remove(link.name());
		this.redis.disconnect(link.name());
	}

	/**
	 * Executes a command.
	 * @param from its connection
	 * @param words the command
	 * @param reply receives the reply or the {@link RedisError}
	 */
	void execute(String from, List<String> words, Consumer<Object> reply) {
		if (!this.up) {
			return;
		}
		Object answer = answer(from, words);
		record(from, words, answer);
		this.redis.takeMessages().forEach(this::deliver);
		if (!this.links.containsKey(from) || (this.deployment == Deployment.REDLOCK && Scripts.isKeep(words))) {
			this.strays.addAll(words);
		}
		reply.accept(answer);
	}

	/**
	 * Records a command and its answer.
	 * @param from the connection
	 * @param words the command
	 * @param answer the reply or the {@link RedisError}
	 */
	void record(String from, List<String> words, Object answer) {
		this.trace.add(from, this.actor.name(), new Command(words, answer));
	}

	/**
	 * Delivers a message to its subscriber.
	 * @param message the message
	 */
	void deliver(SimulatedRedis.Message message) {
		Consumer<String> receiver = this.subscribers.get(message.connection());
		if (receiver != null) {
			this.trace.add(this.actor.name(), message.connection(), message.body());
			receiver.accept(message.body());
		}
	}

	private Object answer(String from, List<String> words) {
		this.changed = true;
		RedisError refusal = refusal(from);
		if (refusal != null) {
			return refusal;
		}
		try {
			return run(from, words);
		}
		catch (RedisError ex) {
			if (!EXPECTED.matcher(ex.text()).find()) {
				this.failed.accept(Scripts.describe(words) + " fails: " + ex.text());
			}
			return ex;
		}
	}

	/**
	 * Returns the error that answers any command now.
	 * @param from the connection of the command
	 * @return the error, or {@code null} if the server executes the command
	 */
	@Nullable RedisError refusal(String from) {
		Dice fault = this.faults.strike(Fault.ERROR_REPLY, from);
		if (fault != null) {
			return new RedisError(fault.any(ERRORS));
		}
		return (this.scheduler.now() < this.loadingUntil) ? new RedisError(ERRORS.get(0)) : null;
	}

	/**
	 * Runs a command.
	 * @param from its connection
	 * @param words the command
	 * @return the reply
	 */
	Reply run(String from, List<String> words) {
		return this.redis.execute(words);
	}

	/**
	 * Returns the owner tokens that hold a lock or a share of it, or wait for it.
	 * @param key the lock
	 * @return the owner tokens
	 */
	List<String> owners(String key) {
		List<String> owners = holders(key);
		Reply waiter = this.redis.execute(List.of("LINDEX", "{" + key + "}:queue", "0"));
		for (int i = 1; waiter instanceof Reply.Bulk token; i++) {
			owners.add(token.value());
			waiter = this.redis.execute(List.of("LINDEX", "{" + key + "}:queue", Integer.toString(i)));
		}
		return owners;
	}

	/**
	 * Returns the last fencing token that is reserved.
	 * @param key the lock
	 * @return the token, or 0
	 */
	long lastToken(String key) {
		return (this.redis.execute(List.of("GET", "{" + key + "}:fence")) instanceof Reply.Bulk token)
				? Long.parseLong(token.value()) : 0;
	}

	/**
	 * Returns the owner tokens that hold a lock or a share of it.
	 * @param key the lock
	 * @return the owner tokens
	 */
	List<String> holders(String key) {
		List<String> owners = new ArrayList<>();
		if (this.redis.execute(List.of("GET", key)) instanceof Reply.Bulk holder) {
			if (holder.value().equals("lockable:shared")) {
				add(owners, this.redis
					.execute(List.of("ZRANGEBYSCORE", "{" + key + "}:holders", "(" + micros() / 1000, "+inf")));
			}
			else {
				owners.add(holder.value());
			}
		}
		return owners;
	}

	private static void add(List<String> owners, Reply reply) {
		if (reply instanceof Reply.Array array) {
			array.elements().forEach((each) -> {
				if (each instanceof Reply.Bulk owner) {
					owners.add(owner.value());
				}
			});
		}
	}

	// Faults

	/**
	 * Restarts the server. Its clients reconnect when it is up again.
	 * @param empty whether it loses its data
	 * @param down the time for which it is away
	 */
	void restart(boolean empty, long down) {
		SimulatedRedis.Snapshot data = empty ? null : this.redis.snapshot();
		this.trace.add(this.actor.name(), this.actor.name(), empty ? "restarts without data" : "restarts");
		goDown();
		comeUp(down, () -> this.redis.restart(data));
	}

	/**
	 * Makes a replica the master that has not received the last writes.
	 * @param down the time until clients find it
	 */
	void failOver(long down) {
		this.trace.add(this.actor.name(), this.actor.name(), "fails over to a lagging replica");
		promote(this.replica.isEmpty() ? this.redis.snapshot() : this.replica.peekFirst(), down);
	}

	/**
	 * Makes a replica the master.
	 * @param data its data, or {@code null} for none
	 * @param down the time until clients find it
	 */
	void promote(SimulatedRedis.@Nullable Snapshot data, long down) {
		goDown();
		comeUp(down, () -> {
			this.redis.restart(data);
			this.address++;
			Caller.KEYS.forEach((key) -> this.strays.addAll(owners(key)));
		});
	}

	/**
	 * Returns the address of the process, which each failover changes.
	 * @return its number
	 */
	int address() {
		return this.address;
	}

	void goDown() {
		this.up = false;
		new ArrayList<>(this.links.values()).forEach(Link::close);
	}

	/**
	 * Closes all connections of a process that has crashed.
	 * @param client the process
	 */
	void closeAll(Actor client) {
		new ArrayList<>(this.links.values()).stream().filter((link) -> link.client() == client).forEach(Link::close);
	}

	void comeUp(long down, Runnable start) {
		this.scheduler.at(this.scheduler.now() + down, this.actor, () -> {
			start.run();
			this.changed = true;
			this.up = true;
			this.loadingUntil = this.scheduler.now() + down / 4;
			this.trace.add(this.actor.name(), this.actor.name(), "is up again");
		});
	}

	private void replicate() {
		if (this.up) {
			boolean same = !this.changed && !this.replica.isEmpty();
			this.replica.addLast(same ? this.replica.getLast() : this.redis.snapshot());
			this.changed = false;
			if (this.replica.size() > 5) {
				this.replica.removeFirst();
			}
		}
		this.scheduler.at(this.scheduler.now() + SNAPSHOT_INTERVAL, this.actor, this::replicate);
	}

	/**
	 * Sets the clock.
	 * @param micros the change
	 */
	void stepClock(long micros) {
		this.step += micros;
	}

	/**
	 * Executes a command of another client.
	 * @param words the command
	 */
	void foreign(String... words) {
		if (this.up) {
			this.changed = true;
			this.trace.add("foreign", this.actor.name(), List.of(words));
			try {
				this.redis.execute(List.of(words));
			}
			catch (RedisError ex) {
				this.trace.add(this.actor.name(), "foreign", ex.text());
			}
		}
	}

	/**
	 * A command and its answer. Scripts are shown by their name.
	 *
	 * @param words the command
	 * @param answer the answer
	 */
	private record Command(List<String> words, Object answer) {

		@Override
		public int hashCode() {
			return 31 * this.words.hashCode()
					+ ((this.answer instanceof RedisError error) ? error.text().hashCode() : this.answer.hashCode());
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public String toString() {
			return Scripts.describe(this.words) + " = "
					+ ((this.answer instanceof RedisError error) ? error.text() : Scripts.describe(this.answer));
		}

	}

}
