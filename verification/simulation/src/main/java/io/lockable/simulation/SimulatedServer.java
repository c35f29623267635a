package io.lockable.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.lockable.simulation.redis.RedisError;
import io.lockable.simulation.redis.Reply;
import io.lockable.simulation.redis.SimulatedRedis;
import org.jspecify.annotations.Nullable;

/**
 * The process of a Redis server, and its faults.
 */
class SimulatedServer extends ServerProcess {

	private static final long EPOCH_MICROS = 1_700_000_000_000_000L;

	private static final long MAX_DIFFERENCE = 1_500_000;

	private static final long SNAPSHOT_INTERVAL = 20_000_000;

	private static final List<String> ERRORS = List.of("LOADING Redis is loading the dataset in memory",
			"READONLY You can't write against a read only replica.",
			"MISCONF Redis is configured to save RDB snapshots", "NOSCRIPT No matching script. Please use EVAL.",
			"NOPERM this user has no permissions to run the 'evalsha' command");

	private static final Pattern EXPECTED = Pattern.compile("^NOSCRIPT|OOM");

	private final Deployment deployment;

	private final SimulatedRedis redis;

	// The wall clocks of several masters differ.
	private final long difference;

	private final Map<String, Consumer<String>> subscribers = new HashMap<>();

	private final Deque<SimulatedRedis.Snapshot> replica = new ArrayDeque<>();

	private Consumer<String> failed = (failure) -> {
	};

	// Since the last snapshot.
	private boolean changed;

	private long loadingUntil;

	private int address;

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
		this(deployment, number, scheduler, faults, trace, seed, plant,
				Dice.of(seed, "server" + ((number > 0) ? number : "")));
	}

	private SimulatedServer(Deployment deployment, int number, Scheduler scheduler, Faults faults, Trace trace,
			long seed, UnaryOperator<String> plant, Dice dice) {
		super("redis", number, scheduler, faults, trace, dice, seed);
		this.deployment = deployment;
		this.difference = (number > 0) ? dice.between(-MAX_DIFFERENCE, MAX_DIFFERENCE) : 0;
		this.redis = new SimulatedRedis(this::micros, plant);
		if ((deployment == Deployment.SERVER || deployment == Deployment.CLUSTER) && faults.has(Fault.FAILOVER)) {
			replicate();
		}
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

	private long micros() {
		return EPOCH_MICROS + this.difference + time() / 1000;
	}

	@Override
	void closed(Link link) {
		super.closed(link);
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
		if (!isUp()) {
			return;
		}
		Object answer = answer(from, words);
		record(from, words, answer);
		this.redis.takeMessages().forEach(this::deliver);
		if (!isConnected(from) || (this.deployment == Deployment.REDLOCK && Scripts.isKeep(words))) {
			addStrays(words);
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
		trace().add(from, actor().name(), new Command(words, answer));
	}

	/**
	 * Delivers a message to its subscriber.
	 * @param message the message
	 */
	void deliver(SimulatedRedis.Message message) {
		Consumer<String> receiver = this.subscribers.get(message.connection());
		if (receiver != null) {
			trace().add(actor().name(), message.connection(), message.body());
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
		Dice fault = faults().strike(Fault.ERROR_REPLY, from);
		if (fault != null) {
			return new RedisError(fault.any(ERRORS));
		}
		return (scheduler().now() < this.loadingUntil) ? new RedisError(ERRORS.get(0)) : null;
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

	@Override
	boolean isFree(String key) {
		return this.redis.execute(List.of("GET", key)) == Reply.NIL;
	}

	@Override
	List<String> leftovers() {
		return this.redis.dump().stream().filter((line) -> !line.matches("\\{.*}:fence = .*")).toList();
	}

	@Override
	List<String> owners(String key) {
		List<String> owners = holders(key);
		Reply waiter = this.redis.execute(List.of("LINDEX", "{" + key + "}:queue", "0"));
		for (int i = 1; waiter instanceof Reply.Bulk token; i++) {
			owners.add(token.value());
			waiter = this.redis.execute(List.of("LINDEX", "{" + key + "}:queue", Integer.toString(i)));
		}
		return owners;
	}

	@Override
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

	@Override
	void restart(boolean empty, long down) {
		SimulatedRedis.Snapshot data = empty ? null : this.redis.snapshot();
		trace().add(actor().name(), actor().name(), empty ? "restarts without data" : "restarts");
		goDown();
		comeUp(down, () -> this.redis.restart(data));
	}

	/**
	 * Makes a replica the master that has not received the last writes.
	 * @param down the time until clients find it
	 */
	void failOver(long down) {
		trace().add(actor().name(), actor().name(), "fails over to a lagging replica");
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
			Caller.KEYS.forEach((key) -> addStrays(owners(key)));
		});
	}

	/**
	 * Returns the address of the process, which each failover changes.
	 * @return its number
	 */
	int address() {
		return this.address;
	}

	@Override
	void comeUp(long down, Runnable start) {
		super.comeUp(down, () -> {
			start.run();
			this.changed = true;
			this.loadingUntil = scheduler().now() + down / 4;
		});
	}

	private void replicate() {
		if (isUp()) {
			boolean same = !this.changed && !this.replica.isEmpty();
			this.replica.addLast(same ? this.replica.getLast() : this.redis.snapshot());
			this.changed = false;
			if (this.replica.size() > 5) {
				this.replica.removeFirst();
			}
		}
		scheduler().at(scheduler().now() + SNAPSHOT_INTERVAL, actor(), this::replicate);
	}

	/**
	 * Executes a command of another client.
	 * @param words the command
	 */
	void foreign(String... words) {
		if (isUp()) {
			this.changed = true;
			trace().add("foreign", actor().name(), List.of(words));
			try {
				this.redis.execute(List.of(words));
			}
			catch (RedisError ex) {
				trace().add(actor().name(), "foreign", ex.text());
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
