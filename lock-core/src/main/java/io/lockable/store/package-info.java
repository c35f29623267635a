/**
 * The SPI under the engine: atomic, owner-explicit primitives on a backend. Queues within
 * an instance, reentrancy, renewal and deadlines are the engine's, and written once.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.store;

import org.jspecify.annotations.NullMarked;
