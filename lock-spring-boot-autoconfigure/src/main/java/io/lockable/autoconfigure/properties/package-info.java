/**
 * The properties of locks, their validation, and the conditions on them.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.properties;

import org.jspecify.annotations.NullMarked;
