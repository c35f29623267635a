/**
 * The lock stores on Redis. {@code RedisLockStore} stores locks on one server, with or
 * without replicas, or on a cluster. {@code RedlockLockStore} stores them on several
 * independent masters. The public types of the subpackages are internal.
 *
 * <p>
 * Dependencies point downwards only:
 * <ul>
 * <li>this package: the keys, scripts and answers of locks, the subscription that
 * delivers grants, and the votes of several masters</li>
 * <li>{@code client}: all code that needs Lettuce, Jedis or another client, and scripts
 * whose writes replicas acknowledge</li>
 * <li>{@code script}: scripts, their calls and their failures</li>
 * </ul>
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis;

import org.jspecify.annotations.NullMarked;
