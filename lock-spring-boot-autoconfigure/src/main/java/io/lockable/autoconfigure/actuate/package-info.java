/**
 * What Spring Boot Actuator shows of locks.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
