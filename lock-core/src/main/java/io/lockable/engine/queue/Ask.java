package io.lockable.engine.queue;

import java.time.Duration;

import io.lockable.Internal;

/**
 * A command whose answer may give the lock.
 *
 * @param owner the owner token
 * @param lease the lease
 * @param queue whether the server queues the owner when it refuses
 * @param recall whether the server, if not, queues the owner when it asks an instance for
 * the lock that may retain it
 * @param sentAt when it was sent, or shortly before
 */
@Internal
public record Ask(String owner, Duration lease, boolean queue, boolean recall, long sentAt) {

}
