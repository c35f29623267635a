/**
 * The lock stores on Redis. {@code RedisLockStore} keeps locks on one server, with or
 * without replicas, or on a cluster; {@code RedlockLockStore} on several independent
 * masters. All other public types of the subpackages are internal.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis;

import org.jspecify.annotations.NullMarked;
