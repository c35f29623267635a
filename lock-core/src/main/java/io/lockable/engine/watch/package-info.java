/**
 * Questions about locks that outlast a second: the holder, and whether waiting calls form
 * a deadlock.
 */
@NullMarked
package io.lockable.engine.watch;

import org.jspecify.annotations.NullMarked;
