package io.lockable.simulation.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The keys of a server: texts, lists, hashes and sorted sets, each with an optional
 * expiry in milliseconds. An expired key is as if it did not exist.
 */
final class Database {

	private final Map<String, Object> values = new HashMap<>();

	private final Map<String, Long> expiries = new HashMap<>();

	private long now;

	/**
	 * Sets the time at which keys expire.
	 * @param millis the wall clock of the server in milliseconds
	 */
	void at(long millis) {
		this.now = millis;
	}

	long now() {
		return this.now;
	}

	@Nullable Object get(String key) {
		Long expiry = this.expiries.get(key);
		if (expiry != null && this.now > expiry) {
			remove(key);
		}
		return this.values.get(key);
	}

	boolean exists(String key) {
		return get(key) != null;
	}

	@Nullable String text(String key) {
		return of(String.class, key);
	}

	@Nullable List<String> list(String key) {
		ListValue list = of(ListValue.class, key);
		return (list != null) ? list.elements : null;
	}

	List<String> listToChange(String key) {
		return toChange(ListValue.class, key, ListValue::new).elements;
	}

	@Nullable Map<String, String> hash(String key) {
		HashValue hash = of(HashValue.class, key);
		return (hash != null) ? hash.fields : null;
	}

	Map<String, String> hashToChange(String key) {
		return toChange(HashValue.class, key, HashValue::new).fields;
	}

	@Nullable SortedSet sortedSet(String key) {
		return of(SortedSet.class, key);
	}

	SortedSet sortedSetToChange(String key) {
		return toChange(SortedSet.class, key, SortedSet::new);
	}

	private <T> @Nullable T of(Class<T> type, String key) {
		Object value = get(key);
		if (value != null && !type.isInstance(value)) {
			throw new RedisError(RedisError.WRONG_TYPE);
		}
		return type.cast(value);
	}

	private <T> T toChange(Class<T> type, String key, Supplier<T> empty) {
		T value = of(type, key);
		if (value == null) {
			value = empty.get();
			this.values.put(key, value);
		}
		return value;
	}

	void set(String key, String value) {
		this.values.put(key, value);
	}

	boolean remove(String key) {
		this.expiries.remove(key);
		return this.values.remove(key) != null;
	}

	// The server keeps no empty list, hash or sorted set.
	void removeIfEmpty(String key, boolean empty) {
		if (empty) {
			remove(key);
		}
	}

	@Nullable Long expiry(String key) {
		return exists(key) ? this.expiries.get(key) : null;
	}

	void expireAt(String key, @Nullable Long millis) {
		if (millis == null) {
			this.expiries.remove(key);
		}
		else if (millis <= this.now) {
			remove(key);
		}
		else {
			this.expiries.put(key, millis);
		}
	}

	void clear() {
		this.values.clear();
		this.expiries.clear();
	}

	List<String> keys() {
		return List.copyOf(this.values.keySet()).stream().filter(this::exists).sorted().toList();
	}

	/**
	 * Returns a copy, as a replica or a file has it.
	 * @return the copy
	 */
	Database copy() {
		Database copy = new Database();
		copy.now = this.now;
		this.values.forEach((key, value) -> copy.values.put(key, copy(value)));
		copy.expiries.putAll(this.expiries);
		return copy;
	}

	private static Object copy(Object value) {
		if (value instanceof ListValue list) {
			ListValue copy = new ListValue();
			copy.elements.addAll(list.elements);
			return copy;
		}
		if (value instanceof HashValue hash) {
			HashValue copy = new HashValue();
			copy.fields.putAll(hash.fields);
			return copy;
		}
		if (value instanceof SortedSet set) {
			SortedSet copy = new SortedSet();
			copy.scores.putAll(set.scores);
			return copy;
		}
		return value;
	}

	/**
	 * Returns all keys with their contents and expiries, in a stable order.
	 * @return a line for each key
	 */
	List<String> dump() {
		return keys().stream().map((key) -> {
			Object value = this.values.get(key);
			Long expiry = this.expiries.get(key);
			String content;
			if (value instanceof ListValue list) {
				content = "list " + list.elements;
			}
			else if (value instanceof HashValue hash) {
				content = "hash " + hash.fields;
			}
			else if (value instanceof SortedSet set) {
				content = "zset " + set.withScores();
			}
			else {
				content = "string " + value;
			}
			return key + " = " + content + " until " + ((expiry != null) ? expiry : "forever");
		}).toList();
	}

	private static final class ListValue {

		private final ArrayList<String> elements = new ArrayList<>();

	}

	private static final class HashValue {

		private final TreeMap<String, String> fields = new TreeMap<>();

	}

	/**
	 * Members with scores, ordered by score and then by member.
	 */
	static final class SortedSet {

		private final Map<String, Double> scores = new HashMap<>();

		Map<String, Double> scores() {
			return this.scores;
		}

		List<String> members() {
			return this.scores.keySet()
				.stream()
				.sorted(Comparator.comparing((String member) -> this.scores.get(member))
					.thenComparing(Comparator.naturalOrder()))
				.toList();
		}

		String score(String member) {
			return text(this.scores.getOrDefault(member, 0.0));
		}

		private List<String> withScores() {
			return members().stream().map((member) -> member + ':' + score(member)).toList();
		}

		private static String text(double score) {
			return Numbers.general(score, 17);
		}

	}

}
