package io.lockable.store;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * One lock to acquire, among several of which all or none are wanted.
 *
 * @param key the full name of the lock
 * @param owner the owner token, different for every acquisition
 * @param lease how long the lock lives, in whole milliseconds
 * @param result completed by the store: a {@link Granted}; a {@link Refused} if somebody
 * else holds this lock; or {@code null} if this lock was not taken because of another
 * @since 0.1.0
 */
public record Attempt(String key, String owner, Duration lease, CompletableFuture<@Nullable Acquisition> result) {

}
