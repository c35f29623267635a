/**
 * What an engine takes from outside besides its store: time, random numbers and threads;
 * and the timer that all of its keys share.
 */
@NullMarked
package io.lockable.engine.runtime;

import org.jspecify.annotations.NullMarked;
