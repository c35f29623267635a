package io.lockable.simulation.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.lettuce.core.cluster.SlotHash;
import io.lockable.simulation.redis.Database.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server in memory: the commands of the lock scripts, the scripts themselves, and
 * a clock of its own. Texts have one {@code char} for each byte.
 *
 * <p>
 * For use by one thread.
 */
public final class SimulatedRedis {

	// A full server refuses them, except in a script that has already written.
	private static final Set<String> NEEDS_MEMORY = Set.of("SET", "HSET", "RPUSH", "ZADD");

	private static final Set<String> OTHER_WRITES = Set.of("DEL", "PEXPIRE", "PEXPIREAT", "LPOP", "LREM", "HDEL",
			"ZREM");

	private static final Set<String> OPTIONS = Set.of("NX", "KEEPTTL", "GET");

	private final LongSupplier micros;

	private final List<Message> messages = new ArrayList<>();

	private final Map<String, Set<String>> subscribers = new HashMap<>();

	private final LuaScripts scripts;

	private Database data = new Database();

	private boolean cluster;

	private boolean refusesPublish;

	private boolean full;

	private long scriptTime = -1;

	private boolean scriptWrites;

	private long writes;

	/**
	 * Creates an empty server.
	 * @param micros its wall clock, in microseconds
	 */
	public SimulatedRedis(LongSupplier micros) {
		this(micros, UnaryOperator.identity());
	}

	/**
	 * Creates an empty server with changed scripts.
	 * @param micros its wall clock, in microseconds
	 * @param plant changes the text of each script; its digest stays the same
	 */
	public SimulatedRedis(LongSupplier micros, UnaryOperator<String> plant) {
		this.micros = micros;
		this.scripts = new LuaScripts(this::call, plant);
	}

	/**
	 * Executes a command.
	 * @param words the name of the command and its arguments
	 * @return the reply
	 * @throws RedisError if the server answers with an error
	 */
	public Reply execute(List<String> words) {
		String name = words.get(0).toUpperCase(Locale.ROOT);
		if (name.equals("EVAL") || name.equals("EVALSHA")) {
			int count = Math.toIntExact(Numbers.integer(words.get(2)));
			checkSlots(words.subList(3, 3 + count));
			String digest = name.equals("EVAL") ? this.scripts.load(words.get(1)) : words.get(1);
			this.scriptTime = this.micros.getAsLong();
			try {
				return this.scripts.run(digest, words.subList(3, 3 + count), words.subList(3 + count, words.size()));
			}
			finally {
				this.scriptTime = -1;
				this.scriptWrites = false;
			}
		}
		return call(words);
	}

	private void checkSlots(List<String> keys) {
		if (this.cluster && keys.stream().mapToInt(SlotHash::getSlot).distinct().count() > 1) {
			throw new RedisError("CROSSSLOT Keys in request don't hash to the same slot");
		}
	}

	/**
	 * Returns the number of changes of the data by commands, each of which replicas
	 * receive.
	 * @return the number
	 */
	public long writes() {
		return this.writes;
	}

	/**
	 * Forgets all scripts.
	 */
	public void flushScripts() {
		this.scripts.flush();
	}

	/**
	 * Makes the server refuse {@code PUBLISH} or permit it again.
	 * @param refuses whether it refuses
	 */
	public void refusePublish(boolean refuses) {
		this.refusesPublish = refuses;
	}

	/**
	 * Makes the server a node of a cluster.
	 */
	public void joinCluster() {
		this.cluster = true;
	}

	/**
	 * Fills the memory of the server, or frees it.
	 * @param isFull whether it is full
	 */
	public void fill(boolean isFull) {
		this.full = isFull;
	}

	/**
	 * Subscribes a connection to a channel.
	 * @param channel the channel
	 * @param connection the connection
	 */
	public void subscribe(String channel, String connection) {
		this.subscribers.computeIfAbsent(channel, (absent) -> new TreeSet<>()).add(connection);
	}

	/**
	 * Ends all subscriptions of a connection.
	 * @param connection the connection
	 */
	public void disconnect(String connection) {
		this.subscribers.values().forEach((each) -> each.remove(connection));
		this.subscribers.values().removeIf(Set::isEmpty);
	}

	/**
	 * Receives a message of another node of the cluster.
	 * @param message the message
	 */
	public void receive(Message message) {
		publishHere(message.channel(), message.body());
	}

	/**
	 * Returns the messages that commands have published, and forgets them.
	 * @return a message for each subscriber, and one for the other nodes of a cluster
	 */
	public List<Message> takeMessages() {
		List<Message> taken = List.copyOf(this.messages);
		this.messages.clear();
		return taken;
	}

	/**
	 * Returns all data, to compare it.
	 * @return a line for each key
	 */
	public List<String> dump() {
		this.data.at(this.micros.getAsLong() / 1000);
		return this.data.dump();
	}

	/**
	 * Returns a copy of the data, as a replica or a file has it.
	 * @return the copy
	 */
	public Snapshot snapshot() {
		return new Snapshot(this.data.copy());
	}

	/**
	 * Replaces the data, as a restart or a failover does. Scripts are forgotten.
	 * @param snapshot the new data, or {@code null} for none
	 */
	public void restart(@Nullable Snapshot snapshot) {
		this.data = (snapshot != null) ? snapshot.data.copy() : new Database();
		this.subscribers.clear();
		this.messages.clear();
		this.scripts.flush();
	}

	private Reply call(List<String> words) {
		long now = (this.scriptTime >= 0) ? this.scriptTime : this.micros.getAsLong();
		this.data.at(now / 1000);
		String name = words.get(0).toUpperCase(Locale.ROOT);
		boolean needsMemory = NEEDS_MEMORY.contains(name);
		if (this.full && needsMemory && !this.scriptWrites) {
			throw new RedisError("OOM command not allowed when used memory > 'maxmemory'.");
		}
		this.scriptWrites |= this.scriptTime >= 0 && (needsMemory || OTHER_WRITES.contains(name));
		Reply reply = call(name, words.subList(1, words.size()), now);
		if (OTHER_WRITES.contains(name) && !reply.equals(Reply.of(0)) && reply != Reply.NIL) {
			this.writes++;
		}
		return reply;
	}

	private Reply call(String name, List<String> arguments, long now) {
		return switch (name) {
			case "PING" -> new Reply.Status("PONG");
			case "TIME" -> Reply.of(List.of(Long.toString(now / 1_000_000), Long.toString(now % 1_000_000)));
			case "FLUSHALL" -> {
				this.data.clear();
				yield Reply.OK;
			}
			case "DEL" -> Reply.of(arguments.stream().filter((key) -> exists(key) && this.data.remove(key)).count());
			case "EXISTS" -> Reply.of(arguments.stream().filter(this::exists).count());
			case "PUBLISH" -> publish(arguments.get(0), arguments.get(1));
			case "PUBSUB" -> new Reply.Array(List.of(Reply.of(arguments.get(1)),
					Reply.of(this.subscribers.getOrDefault(arguments.get(1), Set.of()).size())));
			case "CLUSTER" -> {
				if (!this.cluster) {
					throw new RedisError("ERR This instance has cluster support disabled");
				}
				yield Reply.of("0".repeat(40));
			}
			case "WAIT" -> Reply.of(0);
			default -> onKey(name, arguments.get(0), arguments.subList(1, arguments.size()));
		};
	}

	private Reply onKey(String name, String key, List<String> arguments) {
		return switch (name) {
			case "GET" -> orNil(this.data.text(key));
			case "STRLEN" -> {
				String text = this.data.text(key);
				yield Reply.of((text != null) ? text.length() : 0);
			}
			case "SET" -> set(key, arguments);
			case "PTTL" -> pttl(key);
			case "PEXPIRE" -> expireAt(key, this.data.now() + Numbers.integer(arguments.get(0)));
			case "PEXPIREAT" -> expireAt(key, Numbers.integer(arguments.get(0)));
			case "TYPE" -> new Reply.Status(type(key));
			case "LLEN", "LINDEX", "LPOP", "LREM", "RPUSH" -> onList(name, key, arguments);
			case "HGET", "HSET", "HDEL" -> onHash(name, key, arguments);
			case "ZADD", "ZCARD", "ZREM", "ZSCORE", "ZRANGE", "ZRANGEBYSCORE" -> onSortedSet(name, key, arguments);
			default -> throw new RedisError("ERR unknown command '" + name + "'");
		};
	}

	private boolean exists(String key) {
		return this.data.exists(key);
	}

	private Reply publish(String channel, String body) {
		if (this.refusesPublish) {
			throw new RedisError("ERR unknown command 'PUBLISH', with args beginning with: ");
		}
		if (this.cluster) {
			this.messages.add(new Message(Message.OTHER_NODES, channel, body));
		}
		return Reply.of(publishHere(channel, body));
	}

	private int publishHere(String channel, String body) {
		Set<String> receivers = this.subscribers.getOrDefault(channel, Set.of());
		receivers.forEach((connection) -> this.messages.add(new Message(connection, channel, body)));
		return receivers.size();
	}

	private Reply pttl(String key) {
		if (!exists(key)) {
			return Reply.of(-2);
		}
		Long expiry = this.data.expiry(key);
		return Reply.of((expiry != null) ? expiry - this.data.now() : -1);
	}

	private Reply expireAt(String key, long millis) {
		if (!exists(key)) {
			return Reply.of(0);
		}
		this.data.expireAt(key, millis);
		return Reply.of(1);
	}

	private String type(String key) {
		Object value = this.data.get(key);
		if (value == null) {
			return "none";
		}
		return (value instanceof String) ? "string" : "other";
	}

	private Reply set(String key, List<String> arguments) {
		boolean absent = false;
		boolean keepExpiry = false;
		boolean get = false;
		Long expiry = null;
		int at = 1;
		while (at < arguments.size()) {
			String option = arguments.get(at).toUpperCase(Locale.ROOT);
			absent |= option.equals("NX");
			keepExpiry |= option.equals("KEEPTTL");
			get |= option.equals("GET");
			if (option.startsWith("PX")) {
				long millis = positive(arguments.get(at + 1));
				expiry = option.equals("PX") ? this.data.now() + millis : millis;
				at++;
			}
			else if (!OPTIONS.contains(option)) {
				throw new RedisError("ERR syntax error");
			}
			at++;
		}
		Reply before = get ? orNil(this.data.text(key)) : Reply.OK;
		boolean present = exists(key);
		if (absent && present) {
			return get ? before : Reply.NIL;
		}
		this.writes++;
		this.data.set(key, arguments.get(0));
		if (!keepExpiry) {
			this.data.expireAt(key, expiry);
		}
		return before;
	}

	private static long positive(String millis) {
		long value = Numbers.integer(millis);
		if (value <= 0) {
			throw new RedisError("ERR invalid expire time in 'set' command");
		}
		return value;
	}

	private Reply onList(String name, String key, List<String> arguments) {
		if (name.equals("RPUSH")) {
			this.writes++;
			List<String> list = this.data.listToChange(key);
			list.addAll(arguments);
			return Reply.of(list.size());
		}
		List<String> list = this.data.list(key);
		if (list == null) {
			return name.equals("LLEN") || name.equals("LREM") ? Reply.of(0) : Reply.NIL;
		}
		Reply reply = switch (name) {
			case "LLEN" -> Reply.of(list.size());
			case "LINDEX" -> {
				int index = Math.toIntExact(Numbers.integer(arguments.get(0)));
				yield (index < list.size()) ? Reply.of(list.get(index)) : Reply.NIL;
			}
			case "LPOP" -> Reply.of(list.remove(0));
			// The scripts remove at most one element.
			default -> Reply.of(list.remove(arguments.get(1)) ? 1 : 0);
		};
		this.data.removeIfEmpty(key, list.isEmpty());
		return reply;
	}

	private Reply onHash(String name, String key, List<String> arguments) {
		if (name.equals("HSET")) {
			this.writes++;
			Map<String, String> hash = this.data.hashToChange(key);
			int before = hash.size();
			for (int i = 0; i < arguments.size(); i += 2) {
				hash.put(arguments.get(i), arguments.get(i + 1));
			}
			return Reply.of(hash.size() - before);
		}
		Map<String, String> hash = this.data.hash(key);
		if (name.equals("HGET")) {
			return orNil((hash != null) ? hash.get(arguments.get(0)) : null);
		}
		if (hash == null) {
			return Reply.of(0);
		}
		long removed = arguments.stream().filter((field) -> hash.remove(field) != null).count();
		this.data.removeIfEmpty(key, hash.isEmpty());
		return Reply.of(removed);
	}

	private Reply onSortedSet(String name, String key, List<String> arguments) {
		if (name.equals("ZADD")) {
			return add(key, arguments);
		}
		SortedSet set = this.data.sortedSet(key);
		if (set == null) {
			return switch (name) {
				case "ZSCORE" -> Reply.NIL;
				case "ZCARD", "ZREM" -> Reply.of(0);
				default -> Reply.of(List.of());
			};
		}
		return switch (name) {
			case "ZCARD" -> Reply.of(set.scores().size());
			case "ZSCORE" ->
				set.scores().containsKey(arguments.get(0)) ? Reply.of(set.score(arguments.get(0))) : Reply.NIL;
			case "ZREM" -> {
				long removed = arguments.stream().filter((member) -> set.scores().remove(member) != null).count();
				this.data.removeIfEmpty(key, set.scores().isEmpty());
				yield Reply.of(removed);
			}
			case "ZRANGE" -> range(set, arguments);
			default -> rangeByScore(set, arguments);
		};
	}

	private Reply add(String key, List<String> arguments) {
		String condition = arguments.get(0).toUpperCase(Locale.ROOT);
		boolean conditional = condition.equals("GT") || condition.equals("LT");
		int at = conditional ? 1 : 0;
		double score = Numbers.score(arguments.get(at));
		Map<String, Double> scores = this.data.sortedSetToChange(key).scores();
		Double before = scores.get(arguments.get(at + 1));
		if (before == null || !conditional || (condition.equals("GT") ? score > before : score < before)) {
			this.writes++;
			scores.put(arguments.get(at + 1), score);
		}
		return Reply.of((before == null) ? 1 : 0);
	}

	private static Reply range(SortedSet set, List<String> arguments) {
		List<String> members = set.members();
		int start = index(arguments.get(0), members.size());
		int end = index(arguments.get(1), members.size());
		List<String> chosen = (start <= end) ? members.subList(Math.max(start, 0), Math.min(end + 1, members.size()))
				: List.of();
		return scored(set, chosen, arguments);
	}

	private static int index(String text, int size) {
		int index = Math.toIntExact(Numbers.integer(text));
		return (index < 0) ? index + size : index;
	}

	private static Reply rangeByScore(SortedSet set, List<String> arguments) {
		String from = arguments.get(0);
		boolean exclusive = from.startsWith("(");
		double min = Numbers.score(exclusive ? from.substring(1) : from);
		double max = Numbers.score(arguments.get(1));
		List<String> chosen = set.members().stream().filter((member) -> {
			double score = set.scores().getOrDefault(member, 0.0);
			return (exclusive ? score > min : score >= min) && score <= max;
		}).collect(Collectors.toList());
		return scored(set, chosen, arguments);
	}

	private static Reply scored(SortedSet set, List<String> members, List<String> arguments) {
		if (!arguments.get(arguments.size() - 1).equalsIgnoreCase("WITHSCORES")) {
			return Reply.of(members);
		}
		List<String> both = new ArrayList<>();
		members.forEach((member) -> {
			both.add(member);
			both.add(set.score(member));
		});
		return Reply.of(both);
	}

	private static Reply orNil(@Nullable String text) {
		return (text != null) ? Reply.of(text) : Reply.NIL;
	}

	/**
	 * A message for a subscriber.
	 *
	 * @param connection the subscribed connection; none for the other nodes of a cluster
	 * @param channel the channel
	 * @param body the message
	 */
	public record Message(String connection, String channel, String body) {

		private static final String OTHER_NODES = "";

		/**
		 * Returns whether the other nodes of the cluster receive the message.
		 * @return {@code false} if it is for a subscriber
		 */
		public boolean isForOtherNodes() {
			return this.connection.equals(OTHER_NODES);
		}

	}

	/**
	 * A copy of the data of a server.
	 */
	public static final class Snapshot {

		private final Database data;

		private Snapshot(Database data) {
			this.data = data;
		}

	}

}
