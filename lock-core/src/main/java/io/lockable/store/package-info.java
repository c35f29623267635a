/**
 * The SPI of the engine: atomic primitives with explicit owners on a backend. The engine
 * implements local queues, reentrancy, renewal and deadlines once for all stores.
 * @since 0.1.0
 */
@NullMarked
package io.lockable.store;

import org.jspecify.annotations.NullMarked;
