/**
 * The script runner that waits until replicas acknowledge the writes.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.replication;

import org.jspecify.annotations.NullMarked;
