/**
 * The state machine of one key: pure functions from a state, an event and its inputs to
 * the next state and its effects. The package has no clock, thread, mutex or store.
 */
@NullMarked
package io.lockable.engine.machine;

import org.jspecify.annotations.NullMarked;
