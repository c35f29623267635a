/**
 * The commands that an engine sends to its store, and how it waits for the answers.
 */
@NullMarked
package io.lockable.engine.command;

import org.jspecify.annotations.NullMarked;
