/**
 * Spring Boot Actuator's view of locks: the endpoint {@code locks} and the health of the
 * store.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
