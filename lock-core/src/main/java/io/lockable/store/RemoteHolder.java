package io.lockable.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An owner that holds a lock, or a share of it, according to the backend.
 *
 * @param owner the owner token
 * @param remaining the rest of the lease without renewal; {@code null} for no expiry,
 * which only a foreign command sets
 * @since 0.1.0
 */
public record RemoteHolder(String owner, @Nullable Duration remaining) {
}
