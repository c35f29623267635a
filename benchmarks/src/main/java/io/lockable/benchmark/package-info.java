/**
 * Ours and the peers side by side, in one run on one Redis.
 */
@NullMarked
package io.lockable.benchmark;

import org.jspecify.annotations.NullMarked;
