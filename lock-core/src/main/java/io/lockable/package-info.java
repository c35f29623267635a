/**
 * The API: distributed locks, their leases, options and outcomes.
 *
 * <p>
 * Start with {@link io.lockable.DistributedLocks}, or with
 * {@link io.lockable.annotation.DistributedLockable} for the lock of a method.
 * @since 0.1.0
 */
@NullMarked
package io.lockable;

import org.jspecify.annotations.NullMarked;
