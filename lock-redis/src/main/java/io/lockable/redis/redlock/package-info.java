/**
 * The Redlock algorithm: questions to several independent masters, and their votes.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.redis.redlock;

import org.jspecify.annotations.NullMarked;
