/**
 * The request id and the lock context, and their propagation to other threads and
 * services.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.request;

import org.jspecify.annotations.NullMarked;
