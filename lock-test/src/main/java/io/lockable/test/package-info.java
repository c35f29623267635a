/**
 * Test support: test clock, faults, assertions, and the contract of every lock store as
 * tests to extend. The package {@code io.lockable.test.redis} starts real Redis servers
 * for them.
 * @since 0.1.0
 */
@NullMarked
package io.lockable.test;

import org.jspecify.annotations.NullMarked;
