package io.lockable.engine.shell;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.engine.runtime.Timer;
import io.lockable.text.DurationText;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one WARN for each hold that exceeds a limit, and one for each key whose waiters
 * exceed another, with the stack of a holder in this instance.
 *
 * <p>
 * It looks at all locks four times within the shorter limit, so that acquisitions and
 * releases do nothing for it. It logs on a thread of its own, because a slow appender
 * must not delay renewals, and a listener that blocks must not delay the warning.
 */
public final class SlowLocks extends Timer.Task {

	private static final Logger log = LoggerFactory.getLogger(SlowLocks.class);

	private static final int LOOKS = 4;

	private final KeyShells shells;

	private final Duration longestHold;

	private final Duration longestWait;

	private final long interval;

	private volatile long lookAt;

	// The leases and the keys that were reported, by the last look.
	private Set<Object> reported = Set.of();

	/**
	 * Creates a watch, to be added to the timer.
	 * @param shells the locks
	 * @param longestHold the limit of a hold
	 * @param longestWait the limit of a wait
	 */
	public SlowLocks(KeyShells shells, Duration longestHold, Duration longestWait) {
		super(3);
		this.shells = shells;
		this.longestHold = longestHold;
		this.longestWait = longestWait;
		Duration shorter = (longestHold.compareTo(longestWait) < 0) ? longestHold : longestWait;
		this.interval = shorter.toNanos() / LOOKS;
		this.lookAt = shells.now() + this.interval;
	}

	@Override
	public long dueAt() {
		return this.lookAt;
	}

	@Override
	public void due(long now) {
		// Until this look has ended.
		this.lookAt = this.shells.parts().timer().never();
		this.shells.parts().runtime().execute(Work.STEP, () -> {
			try {
				look();
			}
			finally {
				this.lookAt = this.shells.now() + this.interval;
				this.shells.parts().timer().wakeAt(this.lookAt);
			}
		});
	}

	private void look() {
		long now = this.shells.now();
		Map<String, LocalLease> holders = new HashMap<>();
		Set<Object> slow = new HashSet<>();
		this.shells.leases().forEach((lease) -> {
			holders.put(lease.key(), lease);
			Duration held = lease.times().held(now);
			if (held.compareTo(this.longestHold) >= 0 && slow.add(lease) && !this.reported.contains(lease)) {
				log.warn("Lock '{}' has been held for {} by {}", LogSafe.of(lease.key()), DurationText.of(held),
						holder(lease), stack(lease));
			}
		});
		this.shells.waiters().forEach((pending) -> {
			Duration waited = Duration.ofNanos(now - pending.startedAt());
			String key = pending.key();
			if (waited.compareTo(this.longestWait) >= 0 && slow.add(key) && !this.reported.contains(key)) {
				LocalLease holder = holders.get(key);
				String known = (holder == null) ? this.shells.knownHolder(key) : null;
				log.warn("'{}' has waited for {} for lock '{}', held by {}", pending.callerName(),
						DurationText.of(waited), LogSafe.of(key), (known != null) ? known : holder(holder),
						stack(holder));
			}
		});
		this.reported = slow;
	}

	private static String holder(@Nullable LocalLease lease) {
		if (lease == null) {
			return "no lease of this instance";
		}
		Thread holder = lease.holder();
		return (holder != null) ? "thread '" + Caller.nameOf(holder) + "'"
				: "a lease of no thread, which '" + lease.callerName() + "' acquired";
	}

	private static @Nullable Throwable stack(@Nullable LocalLease lease) {
		Thread holder = (lease != null) ? lease.holder() : null;
		if (holder == null) {
			return null;
		}
		Throwable stack = new Throwable("Stack of thread '" + Caller.nameOf(holder) + "'");
		stack.setStackTrace(holder.getStackTrace());
		return stack;
	}

}
