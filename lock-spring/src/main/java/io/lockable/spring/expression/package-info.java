/**
 * Parses and evaluates keys, conditions and durations.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.expression;

import org.jspecify.annotations.NullMarked;
