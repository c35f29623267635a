package io.lockable.autoconfigure.aop;

import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import org.jspecify.annotations.Nullable;

/**
 * Says which of several {@link DistributedLocks} an annotation means.
 *
 * @param name the name of the bean; empty for that of annotations that name none
 * @param bean gives the one that it names, or {@code null} if it names none
 */
record LocksReference(String name, @Nullable Supplier<DistributedLocks> bean) {

	static final LocksReference DEFAULT = new LocksReference("", null);

	/**
	 * Returns the locks that are meant.
	 * @param defaults gives those of annotations that name none
	 * @return the locks
	 */
	DistributedLocks get(Supplier<DistributedLocks> defaults) {
		return (this.bean != null) ? this.bean.get() : defaults.get();
	}

}
