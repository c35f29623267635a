/**
 * Script runners for clients whose commands block the calling thread.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.blocking;

import org.jspecify.annotations.NullMarked;
