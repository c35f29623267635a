/**
 * The annotations of a Spring application, and the configuration that
 * {@link io.lockable.spring.annotation.EnableDistributedLocks} imports.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.annotation;

import org.jspecify.annotations.NullMarked;
