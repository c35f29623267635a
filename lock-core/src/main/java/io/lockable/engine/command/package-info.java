/**
 * The commands that an engine sends to its store, and the waits for their answers.
 */
@NullMarked
package io.lockable.engine.command;

import org.jspecify.annotations.NullMarked;
