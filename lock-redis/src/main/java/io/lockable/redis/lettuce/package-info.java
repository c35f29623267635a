/**
 * All code that needs Lettuce. The rest of the module works without Lettuce.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.lettuce;

import org.jspecify.annotations.NullMarked;
