/**
 * The client-independent view of a Redis client, and the addresses of servers.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.client;

import org.jspecify.annotations.NullMarked;
