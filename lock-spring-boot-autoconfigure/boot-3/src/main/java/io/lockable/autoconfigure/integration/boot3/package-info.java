/**
 * A lock registry for Spring Integration on Spring Boot 3.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.integration.boot3;

import org.jspecify.annotations.NullMarked;
