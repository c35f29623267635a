/**
 * The time of an engine: its clock, its only timer, and its threads.
 */
@NullMarked
package io.lockable.engine.runtime;

import org.jspecify.annotations.NullMarked;
