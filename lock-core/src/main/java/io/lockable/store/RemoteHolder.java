package io.lockable.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An owner that holds a lock, or a share of it, as the backend has it.
 *
 * @param owner the owner token
 * @param remaining how long the lease lives without renewal; {@code null} if it does not
 * end, which only a foreign command can have made
 * @since 0.1.0
 */
public record RemoteHolder(String owner, @Nullable Duration remaining) {
}
