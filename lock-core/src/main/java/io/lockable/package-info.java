/**
 * The API: a distributed lock, the lease it gives, its options and its outcomes.
 *
 * <p>
 * Start at {@link io.lockable.DistributedLocks}, or at
 * {@link io.lockable.DistributedLockable} when the lock belongs to a method.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable;

import org.jspecify.annotations.NullMarked;
