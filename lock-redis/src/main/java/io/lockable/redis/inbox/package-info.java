/**
 * The subscription by which a server notifies this instance of granted locks.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.inbox;

import org.jspecify.annotations.NullMarked;
