package io.lockable.engine.queue;

import java.time.Duration;

import io.lockable.Internal;

/**
 * A command that replaces the owner token on the server. Until its answer, the server may
 * have either token.
 *
 * @param owner the old owner token
 * @param successor the new owner token
 * @param lease the new lease
 * @param sentAt the time at which it was sent
 */
@Internal
public record Transfer(String owner, String successor, Duration lease, long sentAt) {

}
