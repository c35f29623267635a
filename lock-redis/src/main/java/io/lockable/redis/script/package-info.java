/**
 * Lua scripts and their calls, the interface that runs them on a server, and the
 * translation of server failures.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.script;

import org.jspecify.annotations.NullMarked;
