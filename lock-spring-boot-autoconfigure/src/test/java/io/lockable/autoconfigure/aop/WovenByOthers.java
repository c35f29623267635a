package io.lockable.autoconfigure.aop;

import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import org.jspecify.annotations.Nullable;

/**
 * A bean in the form that the AspectJ compiler produces for an aspect of another project.
 * The agent does not weave it, because it is outside of {@link WovenApplication}.
 */
public class WovenByOthers {

	@SuppressWarnings({ "checkstyle:constantname", "checkstyle:staticvariablename", "UnusedVariable" })
	private static final Object ajc$tjp_0 = "execution(int WovenByOthers.held())";

	private final @Nullable DistributedLocks locks;

	WovenByOthers(@Nullable DistributedLocks locks) {
		this.locks = locks;
	}

	@DistributedLockable("others")
	public int held() {
		return (this.locks != null) ? this.locks.get("disLock:others").holdCount() : -1;
	}

	@DistributedLockable("others")
	@SuppressWarnings("UnusedMethod")
	private void heldInPrivate() {
	}

}
