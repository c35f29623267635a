package io.lockable.test.redis;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

import io.lockable.test.redis.FaultProxy.Direction;
import org.jspecify.annotations.Nullable;

/**
 * The current faults of all connections of a proxy. Thread-safe.
 */
final class ProxyFaults {

	private final ReentrantLock guard = new ReentrantLock();

	private final Condition changed = this.guard.newCondition();

	private final Map<Direction, Duration> delays = new EnumMap<>(Direction.class);

	private final Set<Direction> stalled = EnumSet.noneOf(Direction.class);

	private boolean holdingMessages;

	private @Nullable Predicate<RespFrame> closing;

	private int lostReplies;

	void delay(Direction direction, Duration delay) {
		change(() -> this.delays.put(direction, delay));
	}

	void stall(Set<Direction> directions) {
		change(() -> this.stalled.addAll(directions));
	}

	void resume() {
		change(this.stalled::clear);
	}

	void holdMessages(boolean holding) {
		change(() -> this.holdingMessages = holding);
	}

	void closeBeforeReplyTo(@Nullable Predicate<RespFrame> request) {
		change(() -> this.closing = request);
	}

	void heal() {
		change(() -> {
			this.delays.clear();
			this.stalled.clear();
			this.holdingMessages = false;
			this.closing = null;
		});
	}

	void countLostReply() {
		change(() -> this.lostReplies++);
	}

	int lostReplies() {
		this.guard.lock();
		try {
			return this.lostReplies;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Returns whether to close the connection instead of delivering a reply. Returns
	 * {@code true} once for each fault.
	 * @param request the request of that reply
	 * @return whether the reply is lost
	 */
	boolean closesBeforeReplyTo(RespFrame request) {
		this.guard.lock();
		try {
			if (this.closing == null || !this.closing.test(request)) {
				return false;
			}
			this.closing = null;
			this.lostReplies++;
			return true;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Blocks until a frame may pass.
	 * @param direction the direction of the frame
	 * @param message whether it is a message of a subscription
	 * @param arrival the time of its arrival, in the system's nanoseconds
	 * @throws InterruptedException if its connection is closed
	 */
	void awaitPassage(Direction direction, boolean message, long arrival) throws InterruptedException {
		this.guard.lockInterruptibly();
		try {
			while (true) {
				if (this.stalled.contains(direction) || (message && this.holdingMessages)) {
					this.changed.await();
					continue;
				}
				long left = arrival + this.delays.getOrDefault(direction, Duration.ZERO).toNanos() - System.nanoTime();
				if (left <= 0) {
					return;
				}
				this.changed.await(left, TimeUnit.NANOSECONDS);
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	private void change(Runnable change) {
		this.guard.lock();
		try {
			change.run();
			this.changed.signalAll();
		}
		finally {
			this.guard.unlock();
		}
	}

}
