/**
 * Lettuce, Jedis and other clients: each runs the scripts of a store. The rest of the
 * module needs neither of them.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.client;

import org.jspecify.annotations.NullMarked;
