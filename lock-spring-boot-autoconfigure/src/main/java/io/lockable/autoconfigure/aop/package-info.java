/**
 * Runs methods annotated with {@link io.lockable.annotation.DistributedLockable} under
 * their locks. An annotation that cannot work fails application startup.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.aop;

import org.jspecify.annotations.NullMarked;
