package io.lockable.campaign.contestant;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.lockable.harness.peer.Client;
import io.lockable.harness.peer.HandwrittenPeer;
import io.lockable.harness.peer.HandwrittenPeer.Mistake;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.RedissonPeer;
import io.lockable.harness.peer.Setup;
import io.lockable.harness.peer.ShedLockPeer;
import io.lockable.harness.peer.SpringRegistryPeer;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * The contestants by name. Those of this project are {@code ours-KIND-CLIENT}, where
 * {@code mixed} is all kinds without retention, and {@code retained} all kinds with it,
 * and {@code ours-postgresql}.
 */
public final class Contestants {

	private static final int CONNECTIONS_OF_PEER = 8;

	private static final String POSTGRESQL = "ours-postgresql";

	private static final Map<String, Entry> ALL = new LinkedHashMap<>();

	static {
		for (Client client : Client.values()) {
			String suffix = "-" + client.label();
			ALL.put("ours-mixed" + suffix, ours(client, LockKind.MIXED));
			for (LockKind kind : LockKind.MIXED) {
				ALL.put("ours-" + kind.label() + suffix, ours(client, List.of(kind)));
			}
			ALL.put("ours-retained" + suffix, ours(client, LockKind.ALL_RETAINED));
		}
		ALL.put(POSTGRESQL, new Entry(LockKind.MIXED, OurContestant::onPostgres));
		ALL.put("redisson", other(LockKind.EXCLUSIVE, (setup) -> new RedissonPeer(setup, false)));
		ALL.put("spring-integration", other(LockKind.EXCLUSIVE,
				(setup) -> SpringRegistryPeer.onRedis(setup, RedisLockType.PUB_SUB_LOCK, true)));
		ALL.put("shedlock", other(LockKind.EXCLUSIVE, ShedLockPeer::onRedis));
		ALL.put("handwritten", handwritten(LockKind.EXCLUSIVE, Mistake.NONE));
		ALL.put("wrong-delete", handwritten(LockKind.EXCLUSIVE, Mistake.BLIND_DELETE));
		ALL.put("wrong-deadline", handwritten(LockKind.EXCLUSIVE, Mistake.NO_DEADLINE));
		ALL.put("wrong-tokens", handwritten(LockKind.EXCLUSIVE, Mistake.RESTARTING_TOKENS));
		ALL.put("wrong-recall", handwritten(LockKind.RETAINED, Mistake.DEAF));
		ALL.put("wrong-entry", handwritten(LockKind.RETAINED, Mistake.STALE_ENTRY));
		ALL.put("wrong-leak", handwritten(LockKind.EXCLUSIVE, Mistake.LEAK));
	}

	private Contestants() {
	}

	/**
	 * Returns all names.
	 * @return the names
	 */
	public static List<String> names() {
		return List.copyOf(ALL.keySet());
	}

	/**
	 * Returns the contestants that a name on the command line selects.
	 * @param name a name, or the start of several up to a hyphen
	 * @return the names; empty for an unknown name
	 */
	public static List<String> select(String name) {
		return ALL.keySet().stream().filter((each) -> each.equals(name) || each.startsWith(name + "-")).toList();
	}

	/**
	 * Returns whether a contestant belongs to this project.
	 * @param name its name
	 * @return whether it belongs to this project
	 */
	public static boolean isOurs(String name) {
		return name.startsWith("ours-");
	}

	/**
	 * Connects.
	 * @param name the name of the contestant
	 * @param address the address of the servers
	 * @return the contestant
	 */
	public static Contestant open(String name, Address address) {
		return Objects.requireNonNull(ALL.get(name), name).opener().apply(address);
	}

	/**
	 * Returns the kinds of locks of a contestant.
	 * @param name the name of the contestant
	 * @param topology the topology of the servers
	 * @return the kinds; empty if the contestant does not run on the topology
	 */
	public static List<LockKind> kinds(String name, Topology topology) {
		boolean suits = switch (topology) {
			case POSTGRESQL -> name.equals(POSTGRESQL);
			case STANDALONE, STEPPED_CLOCK -> !name.equals(POSTGRESQL);
			case SENTINEL, REPLICATED, CLUSTER, REDLOCK -> isOurs(name) && !name.equals(POSTGRESQL);
		};
		List<LockKind> kinds = Objects.requireNonNull(ALL.get(name), name).kinds();
		return kinds.stream().filter((kind) -> suits && kind.existsOn(topology)).toList();
	}

	/**
	 * Returns the keys of a lock on the servers.
	 * @param name the name of the contestant
	 * @param key the lock
	 * @return the keys
	 */
	public static List<String> storedKeys(String name, String key) {
		return switch (name) {
			case "spring-integration" -> List.of(SpringRegistryPeer.PREFIX + ":" + key);
			case "shedlock" -> List.of("job-lock:default:" + key);
			default -> LockKind.storedKeys(key);
		};
	}

	private static Entry ours(Client client, List<LockKind> kinds) {
		return new Entry(kinds, (address) -> OurContestant.onRedis(address, client));
	}

	private static Entry other(LockKind kind, Function<Setup, Peer> opener) {
		return new Entry(List.of(kind), (address) -> new PeerContestant(
				opener.apply(address.setup(address.configuration(), CONNECTIONS_OF_PEER))));
	}

	private static Entry handwritten(LockKind kind, Mistake mistake) {
		return other(kind, (setup) -> new HandwrittenPeer(setup, mistake));
	}

	/**
	 * A contestant.
	 *
	 * @param kinds its kinds of locks
	 * @param opener connects
	 */
	private record Entry(List<LockKind> kinds, Function<Address, Contestant> opener) {
	}

}
