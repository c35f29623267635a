/**
 * A lock provider for ShedLock on the engine of this library.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.shedlock;

import org.jspecify.annotations.NullMarked;
