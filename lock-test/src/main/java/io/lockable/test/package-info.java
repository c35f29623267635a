/**
 * Test support: the contract that every lock store keeps, as tests to extend, and real
 * Redis servers to run them on.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.test;

import org.jspecify.annotations.NullMarked;
