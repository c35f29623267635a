/**
 * The lock stores on Redis. {@code RedisLockStore} keeps locks on one server, with or
 * without replicas, or on a cluster; {@code RedlockLockStore} on several independent
 * masters. The public types of the subpackages are internal.
 *
 * <p>
 * A store calls downwards only:
 * <ul>
 * <li>{@code redlock}: questions to several masters, and their votes</li>
 * <li>{@code inbox}: the subscription to grants</li>
 * <li>{@code lettuce} and {@code jedis}: everything that needs one of the clients</li>
 * <li>{@code client}: what a store needs of a client, whichever it is</li>
 * <li>{@code replication}: scripts whose writes replicas acknowledge</li>
 * <li>{@code blocking}: scripts over a client whose commands block</li>
 * <li>{@code script}: scripts, keys, and failures of servers</li>
 * </ul>
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis;

import org.jspecify.annotations.NullMarked;
