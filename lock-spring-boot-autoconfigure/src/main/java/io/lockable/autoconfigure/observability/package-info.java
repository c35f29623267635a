/**
 * Meters and observations of locks, by Micrometer.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.observability;

import org.jspecify.annotations.NullMarked;
