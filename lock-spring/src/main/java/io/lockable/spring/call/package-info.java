/**
 * Runs a call under its locks, according to its return type: a value, a stage or a
 * publisher.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.call;

import org.jspecify.annotations.NullMarked;
