/**
 * A lock registry for Spring Integration on the engine of this library.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.integration;

import org.jspecify.annotations.NullMarked;
