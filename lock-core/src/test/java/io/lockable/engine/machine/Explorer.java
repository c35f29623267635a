package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches all reachable worlds, the nearest first. A state is a row of the numbers of
 * its parts, each part stored once. Worlds that differ only in the order of their
 * instances are one state.
 */
final class Explorer {

	private static final Logger log = LoggerFactory.getLogger(Explorer.class);

	/**
	 * The size from which a search reports its progress.
	 */
	private static final int LARGE = 2_000_000;

	private final Exploration exploration;

	private final int width;

	private final Parts<ServerModel> servers = new Parts<>();

	private final Parts<InstanceModel> instances = new Parts<>();

	private int[] rows;

	private int[] table = new int[1 << 16];

	private int[] parents = new int[1 << 10];

	private short[] moves = new short[1 << 10];

	// The next state by the calm schedule, or -1.
	private int[] calm = new int[1 << 10];

	private int size;

	private long transitions;

	private int depth;

	Explorer(Exploration exploration) {
		this.exploration = exploration;
		this.width = exploration.instances() + 2;
		this.rows = new int[this.width << 10];
	}

	/**
	 * Runs the search.
	 * @return the violation, or {@code null}
	 */
	@Nullable String explore() {
		long startedAt = System.nanoTime();
		String found = search();
		double seconds = Math.round((System.nanoTime() - startedAt) / 1e8) / 10.0;
		// At a level that appears in the build's output.
		log.warn("{}: {} states, {} transitions, depth {}, {} s, {}", this.exploration.name(), this.size,
				this.transitions, this.depth, seconds,
				(found != null) ? "violation" : isComplete() ? "all explored" : "stopped at the bound");
		return found;
	}

	boolean isComplete() {
		return this.size < this.exploration.bound();
	}

	private @Nullable String search() {
		World start = this.exploration.start();
		insert(row(start, null, null).row, -1, 0);
		int levelEnd = 1;
		for (int state = 0; state < this.size && this.size < this.exploration.bound(); state++) {
			if (state == levelEnd) {
				this.depth++;
				levelEnd = this.size;
				if (this.size >= LARGE) {
					log.warn("{}: {} states at depth {}", this.exploration.name(), this.size, this.depth);
				}
			}
			String found = expand(state);
			if (found != null) {
				return found;
			}
		}
		return new CalmCheck(this.calm, this.size, (state) -> world(state).isAtRest()).stuck(this::trace);
	}

	private @Nullable String expand(int state) {
		World world = world(state);
		int[] source = Arrays.copyOfRange(this.rows, state * this.width, (state + 1) * this.width);
		int[] move = { 0 };
		String[] found = { null };
		Moves.each(this.exploration, world, (instance, label, next) -> {
			if (found[0] == null) {
				found[0] = visit(state, world, source, move[0]++, next);
			}
		});
		return found[0];
	}

	private @Nullable String visit(int state, World world, int[] source, int move, Supplier<World> next) {
		this.transitions++;
		try {
			World after = next.get();
			Canonical canonical = row(after, world, source);
			int before = this.size;
			int reached = insert(canonical.row, state, move);
			if (move == 0) {
				this.calm[state] = reached;
			}
			if (this.size > before) {
				world(reached).verify(this.exploration);
			}
			return null;
		}
		catch (Violation violation) {
			return "%s%n%s".formatted(violation.getMessage(), trace(state, move));
		}
	}

	// Rows

	private World world(int state) {
		int start = state * this.width;
		List<InstanceModel> list = new ArrayList<>(this.width - 2);
		for (int i = 0; i < this.width - 2; i++) {
			list.add(this.instances.get(this.rows[start + 1 + i]));
		}
		int rest = this.rows[start + this.width - 1];
		return new World(this.servers.get(this.rows[start]), list, rest & 15, (rest >> 4) & 15,
				Shift.LAST_TOKEN - (rest >> 8));
	}

	private Canonical row(World world, @Nullable World source, int @Nullable [] sourceRow) {
		long newTokens = world.server().last() - Shift.LAST_TOKEN;
		Shift shift = new Shift(0, newTokens);
		int count = this.width - 2;
		Integer[] order = new Integer[count];
		int[] ids = new int[count];
		for (int i = 0; i < count; i++) {
			order[i] = i;
			InstanceModel instance = world.instances().get(i);
			boolean same = newTokens == 0 && source != null && sourceRow != null
					&& instance == source.instances().get(i);
			ids[i] = (same && sourceRow != null) ? sourceRow[1 + i] : this.instances.id(instance.moved(shift));
		}
		Arrays.sort(order, (left, right) -> Integer.compare(ids[left], ids[right]));
		ServerModel server = world.server().moved(shift);
		int best = Integer.MAX_VALUE;
		Integer[] bestOrder = order;
		for (Integer[] candidate : orders(order, ids)) {
			int[] position = new int[count];
			for (int i = 0; i < count; i++) {
				position[candidate[i]] = i;
			}
			int id = this.servers.id(server.permuted((i) -> position[i]));
			if (id < best) {
				best = id;
				bestOrder = candidate;
			}
		}
		int[] row = new int[this.width];
		row[0] = best;
		for (int i = 0; i < count; i++) {
			row[1 + i] = ids[bestOrder[i]];
		}
		long last = World.oldest(shift.token(world.lastEntered()));
		row[this.width - 1] = world.faults() | world.choices() << 4 | (int) (Shift.LAST_TOKEN - last) << 8;
		return new Canonical(row, bestOrder);
	}

	// The orders that leave the numbers sorted: several if instances are equal.
	private static List<Integer[]> orders(Integer[] sorted, int[] ids) {
		List<Integer[]> orders = new ArrayList<>(List.of(new Integer[][] { sorted }));
		for (int i = 0; i + 1 < sorted.length; i++) {
			for (int j = i + 1; j < sorted.length && ids[sorted[i]] == ids[sorted[j]]; j++) {
				for (Integer[] order : List.copyOf(orders)) {
					Integer[] swapped = order.clone();
					Collections.swap(Arrays.asList(swapped), i, j);
					orders.add(swapped);
				}
			}
		}
		return orders;
	}

	private int insert(int[] row, int parent, int move) {
		int mask = this.table.length - 1;
		int slot = spread(Arrays.hashCode(row)) & mask;
		while (this.table[slot] != 0) {
			int known = this.table[slot] - 1;
			int start = known * this.width;
			if (Arrays.equals(this.rows, start, start + this.width, row, 0, this.width)) {
				return known;
			}
			slot = (slot + 1) & mask;
		}
		if (this.size == this.parents.length) {
			this.rows = Arrays.copyOf(this.rows, this.rows.length * 2);
			this.parents = Arrays.copyOf(this.parents, this.size * 2);
			this.moves = Arrays.copyOf(this.moves, this.size * 2);
			this.calm = Arrays.copyOf(this.calm, this.size * 2);
		}
		System.arraycopy(row, 0, this.rows, this.size * this.width, this.width);
		this.parents[this.size] = parent;
		this.moves[this.size] = (short) move;
		this.calm[this.size] = -1;
		this.table[slot] = ++this.size;
		if (this.size * 2 > this.table.length) {
			grow();
		}
		return this.size - 1;
	}

	private void grow() {
		this.table = new int[this.table.length * 2];
		for (int state = 0; state < this.size; state++) {
			int[] row = Arrays.copyOfRange(this.rows, state * this.width, (state + 1) * this.width);
			int slot = spread(Arrays.hashCode(row)) & (this.table.length - 1);
			while (this.table[slot] != 0) {
				slot = (slot + 1) & (this.table.length - 1);
			}
			this.table[slot] = state + 1;
		}
	}

	private static int spread(int hash) {
		int mixed = hash * 0x9E3779B9;
		return mixed ^ (mixed >>> 15);
	}

	// Traces

	private String trace(int state) {
		return trace(state, -1);
	}

	// Replays the path to a state, with the names that the instances had at its start.
	private String trace(int state, int lastMove) {
		List<Integer> path = new ArrayList<>();
		for (int s = state; s >= 0; s = this.parents[s]) {
			path.add(0, s);
		}
		StringBuilder text = new StringBuilder();
		Integer[] names = new Integer[this.width - 2];
		Arrays.setAll(names, (i) -> i);
		for (int p = 0; p < path.size(); p++) {
			int move = (p + 1 < path.size()) ? this.moves[path.get(p + 1)] : lastMove;
			World world = world(path.get(p));
			Integer[] known = names.clone();
			int[] count = { 0 };
			Moves.each(this.exploration, world, (instance, label, next) -> {
				if (count[0]++ == move) {
					text.append("  ")
						.append((instance < 0) ? "" : (char) ('A' + known[instance]))
						.append(label.get())
						.append(System.lineSeparator());
					if (move != lastMove) {
						Integer[] order = row(next.get(), null, null).order;
						Arrays.setAll(names, (i) -> known[order[i]]);
					}
				}
			});
		}
		return text + "  in " + world(state);
	}

	/**
	 * A state: its numbers, and the place of each instance of the world.
	 */
	private static final class Canonical {

		private final int[] row;

		private final Integer[] order;

		Canonical(int[] row, Integer[] order) {
			this.row = row;
			this.order = order;
		}

	}

}
