package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Assigns equal numbers to equal parts.
 *
 * @param <T> their type
 */
final class Parts<T> {

	private final Map<T, Integer> ids = new HashMap<>();

	private final List<T> parts = new ArrayList<>();

	T get(int id) {
		return this.parts.get(id);
	}

	int id(T part) {
		Integer known = this.ids.putIfAbsent(part, this.parts.size());
		if (known == null) {
			this.parts.add(part);
			return this.parts.size() - 1;
		}
		return known;
	}

}
