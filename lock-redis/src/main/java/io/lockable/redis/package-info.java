/**
 * The lock stores on Redis. {@code RedisLockStore} stores locks on one server, with or
 * without replicas, or on a cluster. {@code RedlockLockStore} stores them on several
 * independent masters. The public types of the subpackages are internal.
 *
 * <p>
 * Dependencies point downwards only:
 * <ul>
 * <li>{@code redlock}: questions to several masters, and their votes</li>
 * <li>{@code inbox}: the subscription that delivers grants</li>
 * <li>{@code lettuce} and {@code jedis}: all code that needs one of these clients</li>
 * <li>{@code client}: the client-independent view of a Redis client</li>
 * <li>{@code replication}: scripts whose writes replicas acknowledge</li>
 * <li>{@code blocking}: scripts over a blocking client</li>
 * <li>{@code script}: scripts, keys, and server failures</li>
 * </ul>
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis;

import org.jspecify.annotations.NullMarked;
