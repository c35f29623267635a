/**
 * The lock store on Redis: Lua scripts, run over Lettuce or any other client that Spring
 * Data Redis knows, and an inbox for grants.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis;

import org.jspecify.annotations.NullMarked;
