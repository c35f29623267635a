/**
 * Configures the store of the locks, and checks whether it works.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.store;

import org.jspecify.annotations.NullMarked;
