/**
 * All code that needs Jedis. The rest of the module works without Jedis.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.jedis;

import org.jspecify.annotations.NullMarked;
