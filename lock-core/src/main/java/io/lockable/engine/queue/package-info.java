/**
 * The state machine of one key: pure functions from a state and an event to the next
 * state and its effects. The package has no clock, thread, mutex or store.
 */
@NullMarked
package io.lockable.engine.queue;

import org.jspecify.annotations.NullMarked;
