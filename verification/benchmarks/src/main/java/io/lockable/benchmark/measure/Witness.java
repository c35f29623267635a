package io.lockable.benchmark.measure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.lockable.harness.process.Io;

/**
 * Checks that a lock excludes. All threads of all worker JVMs share one memory-mapped
 * file with a slot per lock. A slot has the current holder, and a counter that holders
 * increment without atomicity. Concurrent holders overwrite each other there.
 *
 * <p>
 * A slot also has the time and the holder of the last release, from which the next holder
 * computes the hand-off time. All JVMs of a machine share the monotonic clock.
 *
 * @param memory the file in memory
 * @param slots the number of locks
 */
public record Witness(ByteBuffer memory, int slots) {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	// One cache line per slot, against false sharing
	private static final int SLOT = 64;

	private static final int HOLDER = 0;

	private static final int COUNT = 8;

	private static final int RELEASED_AT = 16;

	private static final int LAST_HOLDER = 24;

	private static final int TURN = 32;

	/**
	 * Maps the file, and creates it if necessary.
	 * @param file the file
	 * @param slots the number of locks
	 * @return the witness
	 */
	public static Witness map(Path file, int slots) {
		return Io.call(() -> {
			try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
					StandardOpenOption.WRITE)) {
				return new Witness(channel.map(MapMode.READ_WRITE, 0, (long) slots * SLOT), slots);
			}
		});
	}

	/**
	 * Records that a thread has acquired a lock.
	 * @param slot the lock
	 * @param holder the process and the thread, see {@link #holder}
	 * @param tally the thread's own record
	 * @return the time
	 */
	public long enter(int slot, long holder, Tally tally) {
		long now = System.nanoTime();
		if (get(slot, HOLDER) != 0) {
			tally.overlap();
		}
		set(slot, HOLDER, holder);
		long last = get(slot, LAST_HOLDER);
		if (last != 0 && last != holder) {
			tally.handOff(get(slot, RELEASED_AT), now, processOf(last) != processOf(holder));
		}
		tally.entered(get(slot, COUNT), now);
		return now;
	}

	/**
	 * Records that a thread is about to release a lock.
	 * @param slot the lock
	 * @param holder the process and the thread
	 * @param tally the thread's own record
	 * @return the time
	 */
	public long exit(int slot, long holder, Tally tally) {
		set(slot, COUNT, tally.countAtEntry() + 1);
		if (get(slot, HOLDER) != holder) {
			tally.overlap();
		}
		set(slot, LAST_HOLDER, holder);
		long now = tally.left(System.nanoTime());
		set(slot, RELEASED_AT, now);
		set(slot, HOLDER, 0);
		return now;
	}

	/**
	 * Returns the current turn, for processes that alternate without a lock.
	 * @return the last {@linkplain #turn(long) turn}; zero at first
	 */
	public long turn() {
		return get(0, TURN);
	}

	/**
	 * Sets the current turn for all processes.
	 * @param turn any number
	 */
	public void turn(long turn) {
		set(0, TURN, turn);
	}

	/**
	 * Returns the number of acquisitions according to the counters. Fewer than the actual
	 * number mean concurrent holders.
	 * @return the sum of all counters
	 */
	public long acquisitions() {
		long sum = 0;
		for (int slot = 0; slot < this.slots; slot++) {
			sum += get(slot, COUNT);
		}
		return sum;
	}

	/**
	 * Returns the id of a thread of a process.
	 * @param process the number of the process
	 * @param thread the number of the thread
	 * @return an id that is never zero
	 */
	public static long holder(int process, int thread) {
		return ((process + 1L) << Integer.SIZE) | (thread + 1L);
	}

	private static long processOf(long holder) {
		return holder >> Integer.SIZE;
	}

	private long get(int slot, int field) {
		return (long) LONGS.getVolatile(this.memory, slot * SLOT + field);
	}

	private void set(int slot, int field, long value) {
		LONGS.setVolatile(this.memory, slot * SLOT + field, value);
	}

}
