/**
 * The health of the lock store on Spring Boot 3.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.actuate.boot3;

import org.jspecify.annotations.NullMarked;
