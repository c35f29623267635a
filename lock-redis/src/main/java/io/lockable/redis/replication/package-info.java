/**
 * Runs scripts and waits until replicas have acknowledged what they wrote.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.replication;

import org.jspecify.annotations.NullMarked;
