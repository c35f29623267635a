package io.lockable.engine.machine;

import java.time.Duration;

import io.lockable.Internal;

/**
 * A command whose answer may grant the lock.
 *
 * @param owner the owner token
 * @param lease the lease
 * @param queue whether the server queues a refused owner
 * @param recall if not queueing, whether the server queues the owner when it recalls the
 * lock from another instance
 * @param sentAt the time at which it was sent, or shortly before
 */
@Internal
public record AcquireCommand(String owner, Duration lease, boolean queue, boolean recall, long sentAt) {

}
