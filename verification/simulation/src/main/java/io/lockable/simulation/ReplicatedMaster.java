package io.lockable.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.lockable.simulation.redis.RedisError;
import io.lockable.simulation.redis.Reply;
import io.lockable.simulation.redis.SimulatedRedis;
import org.jspecify.annotations.Nullable;

/**
 * A master with replicas that acknowledge its writes. {@code WAIT} waits for those of its
 * own connection, and delays the commands behind it.
 *
 * <p>
 * Each write has a number, its offset. A replica has the writes up to an offset.
 */
final class ReplicatedMaster extends SimulatedServer {

	private static final long MILLISECOND = 1_000_000;

	private final int promised;

	private final List<Replica> replicas = new ArrayList<>();

	private final List<Wait> waits = new ArrayList<>();

	private final Map<String, Client> clients = new HashMap<>();

	// The offset of the last acknowledged grant or extension of each key.
	private final Map<String, Long> acknowledged = new HashMap<>();

	// By owner token.
	private final Map<String, Long> acknowledgedUntil = new HashMap<>();

	private long offset;

	private SimulatedRedis.@Nullable Snapshot snapshot;

	private long snapshotAt;

	/**
	 * Starts a master and its replicas.
	 * @param settings the number of replicas, and how many of them have each lock
	 * @param scheduler runs its events
	 * @param faults its faults
	 * @param trace receives its commands
	 * @param seed the seed
	 * @param plant changes its scripts
	 */
	ReplicatedMaster(Settings settings, Scheduler scheduler, Faults faults, Trace trace, long seed,
			UnaryOperator<String> plant) {
		super(Deployment.REPLICATED, 0, scheduler, faults, trace, seed, plant);
		this.promised = settings.promisedReplicas();
		for (int i = 1; i <= settings.replicas(); i++) {
			this.replicas.add(new Replica(new Actor("replica" + i)));
		}
	}

	/**
	 * Returns the names of the replicas.
	 * @return the names
	 */
	List<String> replicas() {
		return this.replicas.stream().map((replica) -> replica.actor.name()).toList();
	}

	/**
	 * Returns the end of the lease that the promised number of replicas has acknowledged.
	 * @param owner the owner token
	 * @return the time of the simulation; 0 for a grant that does not count
	 */
	long acknowledgedUntil(String owner) {
		return this.acknowledgedUntil.getOrDefault(owner, 0L);
	}

	// Commands

	@Override
	void execute(String from, List<String> words, Consumer<Object> reply) {
		Client client = this.clients.computeIfAbsent(from, (absent) -> new Client());
		if (client.waiting) {
			client.behind.add(() -> execute(from, words, reply));
		}
		else if (isUp() && words.get(0).equals("WAIT")) {
			startWait(from, client, words, reply);
		}
		else {
			super.execute(from, words, reply);
		}
	}

	@Override
	Reply run(String from, List<String> words) {
		if (words.get(0).equals("INFO")) {
			long connected = this.replicas.stream().filter((replica) -> replica.connected).count();
			return Reply.of("role:master\r\nconnected_slaves:%d\r\n".formatted(connected));
		}
		long before = redis().writes();
		try {
			return super.run(from, words);
		}
		finally {
			if (redis().writes() != before) {
				wrote();
				wrote(this.clients.computeIfAbsent(from, (absent) -> new Client()), words);
			}
		}
	}

	private void wrote() {
		this.offset++;
		this.replicas.forEach(this::feed);
	}

	private void wrote(Client client, List<String> words) {
		client.written = this.offset;
		if (words.get(0).startsWith("EVAL")) {
			int keys = Integer.parseInt(words.get(2));
			words.subList(3, 3 + keys)
				.stream()
				.filter(Caller.KEYS::contains)
				.forEach((key) -> holders(key).stream()
					.filter(words::contains)
					.forEach((owner) -> client.grants.add(new Grant(key, owner, this.offset, expiry(key)))));
		}
	}

	private long expiry(String key) {
		return (redis().execute(List.of("PTTL", key)) instanceof Reply.Int left)
				? scheduler().now() + left.value() * MILLISECOND : 0;
	}

	@Override
	void foreign(String... words) {
		super.foreign(words);
		wrote();
	}

	@Override
	void closed(Link link) {
		super.closed(link);
		this.clients.remove(link.name());
		this.waits.removeIf((wait) -> wait.from.equals(link.name()));
	}

	// Waits

	private void startWait(String from, Client client, List<String> words, Consumer<Object> reply) {
		RedisError refusal = refusal(from);
		if (refusal != null) {
			record(from, words, refusal);
			client.grants.clear();
			reply.accept(refusal);
			return;
		}
		Wait wait = new Wait(from, client, words, reply);
		client.waiting = true;
		this.waits.add(wait);
		scheduler().at(scheduler().now() + Long.parseLong(words.get(2)) * MILLISECOND, actor(), () -> end(wait));
		endIfAcknowledged(wait);
	}

	private void endIfAcknowledged(Wait wait) {
		if (acknowledgements(wait) >= Integer.parseInt(wait.words.get(1))) {
			end(wait);
		}
	}

	private long acknowledgements(Wait wait) {
		return this.replicas.stream().filter((replica) -> replica.hasAcknowledged(wait.client.written)).count();
	}

	private void end(Wait wait) {
		if (!this.waits.remove(wait)) {
			return;
		}
		Client client = wait.client;
		long acknowledgements = acknowledgements(wait);
		if (acknowledgements >= this.promised) {
			client.grants.forEach((grant) -> {
				this.acknowledged.merge(grant.key, grant.offset, Math::max);
				this.acknowledgedUntil.merge(grant.owner, grant.until, Math::max);
			});
		}
		client.grants.clear();
		Reply answer = Reply.of(acknowledgements);
		record(wait.from, wait.words, answer);
		wait.reply.accept(answer);
		client.waiting = false;
		while (!client.waiting && !client.behind.isEmpty()) {
			client.behind.remove().run();
		}
	}

	// Replication

	// Sends all writes up to now, unless that is about to happen.
	private void feed(Replica replica) {
		if (!replica.connected || replica.feeding) {
			return;
		}
		replica.feeding = true;
		int connection = replica.connection;
		scheduler().at(scheduler().now() + replica.dice.between(2_000, 80_000), actor(), () -> {
			if (replica.connection == connection) {
				replica.feeding = false;
				send(replica, connection);
			}
		});
	}

	private void send(Replica replica, int connection) {
		SimulatedRedis.Snapshot data = (this.snapshot != null && this.snapshotAt == this.offset) ? this.snapshot
				: redis().snapshot();
		long sent = this.offset;
		this.snapshot = data;
		this.snapshotAt = sent;
		String name = replica.actor.name();
		Dice late = faults().strike(Fault.REPLICA_LATE, name);
		long delay = (late != null) ? faults().lasts(late.logarithmic(MILLISECOND, 2500 * MILLISECOND), name)
				: replica.dice.between(0, MILLISECOND / 2);
		replica.arrival = Math.max(replica.arrival, scheduler().now() + delay);
		scheduler().at(replica.arrival, replica.actor, () -> {
			if (replica.connection == connection) {
				replica.data = data;
				replica.offset = sent;
				scheduler().at(scheduler().now() + replica.dice.between(1_000, MILLISECOND / 2), actor(), () -> {
					if (replica.connection == connection) {
						replica.acknowledged = Math.max(replica.acknowledged, sent);
						new ArrayList<>(this.waits).forEach(this::endIfAcknowledged);
					}
				});
			}
		});
	}

	private void disconnect(Replica replica) {
		replica.connection++;
		replica.connected = false;
		replica.feeding = false;
		replica.acknowledged = -1;
		replica.arrival = 0;
	}

	private void connectLater(Replica replica, long delay) {
		int connection = replica.connection;
		scheduler().at(scheduler().now() + faults().lasts(delay, replica.actor.name()), actor(), () -> {
			if (replica.connection == connection && isUp()) {
				replica.connected = true;
				feed(replica);
			}
		});
	}

	// Faults

	/**
	 * Restarts a replica.
	 * @param number its index
	 * @param empty whether it loses its data
	 * @param down the time for which it is away
	 */
	void restartReplica(int number, boolean empty, long down) {
		Replica replica = this.replicas.get(number);
		trace().add(replica.actor.name(), replica.actor.name(), empty ? "restarts without data" : "restarts");
		disconnect(replica);
		if (empty) {
			replica.data = null;
			replica.offset = -1;
		}
		connectLater(replica, down);
	}

	@Override
	void goDown() {
		super.goDown();
		this.replicas.forEach(this::disconnect);
		this.waits.clear();
		this.clients.clear();
	}

	@Override
	void restart(boolean empty, long down) {
		super.restart(empty, down);
		if (empty) {
			this.acknowledged.clear();
		}
	}

	@Override
	void comeUp(long down, Runnable start) {
		super.comeUp(down, () -> {
			start.run();
			// Not the data that a replica had sent before.
			this.snapshot = null;
			this.offset++;
			this.replicas.forEach((replica) -> connectLater(replica,
					replica.dice.logarithmic(MILLISECOND, replica.wasMaster ? 3000 * MILLISECOND : 300 * MILLISECOND)));
			this.replicas.forEach((replica) -> replica.wasMaster = false);
		});
	}

	/**
	 * Makes a replica the master, and the master a replica.
	 * @param number the index of the replica
	 * @param down the time until clients find it
	 * @return the keys whose locks it may lack, because it need not have acknowledged
	 * them, or because it has lost its data
	 */
	List<String> elect(int number, long down) {
		Replica elected = this.replicas.get(number);
		trace().add(actor().name(), elected.actor.name(),
				"becomes the master with %d of %d writes".formatted(elected.offset, this.offset));
		boolean mayLack = this.promised < this.replicas.size() || elected.data == null;
		List<String> lacking = Caller.KEYS.stream()
			.filter((key) -> mayLack && this.acknowledged.getOrDefault(key, -1L) > elected.offset)
			.toList();
		promote(elected.data, down);
		elected.wasMaster = true;
		return lacking;
	}

	/**
	 * A replica. Its data is that of the master at an earlier time.
	 */
	private final class Replica {

		private final Actor actor;

		private final Dice dice;

		private SimulatedRedis.@Nullable Snapshot data = redis().snapshot();

		private long offset;

		// As the master knows it.
		private long acknowledged;

		private boolean connected = true;

		// The number of its connection.
		private int connection;

		private boolean feeding;

		private long arrival;

		private boolean wasMaster;

		Replica(Actor actor) {
			this.actor = actor;
			this.dice = Dice.of(seed(), "latency of " + actor);
		}

		boolean hasAcknowledged(long write) {
			return this.connected && this.acknowledged >= write;
		}

	}

	/**
	 * A connection of a client.
	 */
	private static final class Client {

		private final Deque<Runnable> behind = new ArrayDeque<>();

		// Since its last wait.
		private final List<Grant> grants = new ArrayList<>();

		private long written;

		private boolean waiting;

	}

	/**
	 * A lock that a command has granted or extended.
	 *
	 * @param key the lock
	 * @param owner the owner token
	 * @param offset the offset of the write
	 * @param until the end of the lease, or that of the longest share
	 */
	private record Grant(String key, String owner, long offset, long until) {

	}

	/**
	 * A {@code WAIT} that is not answered. Equal only to itself.
	 */
	private static final class Wait {

		private final String from;

		private final Client client;

		private final List<String> words;

		private final Consumer<Object> reply;

		Wait(String from, Client client, List<String> words, Consumer<Object> reply) {
			this.from = from;
			this.client = client;
			this.words = words;
			this.reply = reply;
		}

	}

}
