/**
 * The state machine of one key: pure functions from a state and an event to the next
 * state and its effects. Nothing here has a clock, a thread, a mutex or a store.
 */
@NullMarked
package io.lockable.engine.queue;

import org.jspecify.annotations.NullMarked;
