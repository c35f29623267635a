package io.lockable.engine.shell;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lockable.LockEvent;
import io.lockable.engine.FollowingListener;
import io.lockable.engine.runtime.StillRuntime;
import org.slf4j.LoggerFactory;

/**
 * The queues of an engine on a {@link DeferredStore}, without threads: each step runs on
 * the calling thread.
 */
final class StressedInstance {

	static final String KEY = "key";

	static final Duration LEASE = Duration.ofSeconds(10);

	/**
	 * The result of an instance without a violation.
	 */
	static final String SOUND = "sound";

	static {
		// A lost lease logs a warning, and each scenario runs many thousand times.
		((Logger) LoggerFactory.getLogger("io.lockable")).setLevel(Level.OFF);
	}

	private final StillRuntime runtime = new StillRuntime();

	private final DeferredStore store = new DeferredStore(this.runtime::now);

	private final Map<String, Consumer<LockEvent>> followers = new ConcurrentHashMap<>();

	private final KeyShells shells = new KeyShells(this.store, this.runtime, Duration.ofMinutes(1),
			Duration.ofMillis(100), new Notifier(
					List.of((FollowingListener) (key, owner, options) -> this.followers.get(owner)), this.runtime));

	private final AtomicReference<LocalLease> latest = new AtomicReference<>();

	private volatile boolean overlapping;

	DeferredStore store() {
		return this.store;
	}

	EngineParts parts() {
		return this.shells.parts();
	}

	void observe(String owner, Consumer<LockEvent> follower) {
		this.followers.put(owner, follower);
	}

	KeyShell enter(PendingAcquisition pending) {
		return this.shells.enter(KEY, pending);
	}

	void begun(LocalLease lease) {
		LocalLease earlier = this.latest.getAndSet(lease);
		if (earlier != null && earlier.isHeld()) {
			this.overlapping = true;
		}
	}

	void pass(Duration duration) {
		this.runtime.move(duration.toNanos());
		this.shells.parts().timer().tick();
	}

	boolean isIdle() {
		return this.shells.isIdle();
	}

	boolean isFree() {
		return this.store.isFree(KEY);
	}

	/**
	 * Answers all commands, lets time pass while work is left, and checks for violations.
	 * @return {@link #SOUND}, or the violation
	 */
	String finish() {
		this.store.answerAll();
		for (int i = 0; i < 50 && !isIdle(); i++) {
			pass(Duration.ofSeconds(1));
			this.store.answerAll();
		}
		if (this.overlapping) {
			return "two leases at a time";
		}
		if (!isIdle()) {
			return "queues not idle";
		}
		return isFree() ? SOUND : "lock not free";
	}

}
