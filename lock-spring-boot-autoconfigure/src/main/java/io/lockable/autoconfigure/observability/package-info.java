/**
 * Micrometer meters and observations of locks.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.observability;

import org.jspecify.annotations.NullMarked;
