/**
 * The request id in calls of other services, on Spring Boot 3.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.web.boot3;

import org.jspecify.annotations.NullMarked;
