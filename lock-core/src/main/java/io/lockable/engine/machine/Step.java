package io.lockable.engine.machine;

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
