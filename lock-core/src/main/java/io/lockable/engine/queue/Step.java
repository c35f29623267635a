package io.lockable.engine.queue;

import java.util.List;

import io.lockable.Internal;

/**
 * The result of an event.
 *
 * @param state the next state
 * @param effects the changes outside of the key, in this order
 */
@Internal
public record Step(KeyState state, List<Effect> effects) {

}
