/**
 * Configures the store of the locks, and checks that it works.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.store;

import org.jspecify.annotations.NullMarked;
