/**
 * Runs methods that are annotated with {@link io.lockable.DistributedLockable} under
 * their lock, and keeps an application with an annotation that cannot work from starting.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.aop;

import org.jspecify.annotations.NullMarked;
