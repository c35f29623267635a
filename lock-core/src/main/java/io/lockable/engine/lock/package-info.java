/**
 * The locks that users hold: what belongs to a thread, several keys, read/write locks and
 * semaphores.
 */
@NullMarked
package io.lockable.engine.lock;

import org.jspecify.annotations.NullMarked;
