/**
 * The subscription through which a server notifies this instance of grants and recalls.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.inbox;

import org.jspecify.annotations.NullMarked;
