/**
 * The annotation of locked methods, and its vocabulary.
 *
 * <p>
 * Start with {@link io.lockable.annotation.DistributedLockable}.
 * @since 0.1.0
 */
@NullMarked
package io.lockable.annotation;

import org.jspecify.annotations.NullMarked;
