/**
 * The locks that users hold: locks of a thread, of several keys, read/write locks and
 * semaphores.
 */
@NullMarked
package io.lockable.engine.lock;

import org.jspecify.annotations.NullMarked;
