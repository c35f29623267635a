/**
 * Test support for Spring Boot: locks in memory, on a clock that the test moves.
 * @since 0.1.0
 */
@NullMarked
package io.lockable.test.autoconfigure;

import org.jspecify.annotations.NullMarked;
