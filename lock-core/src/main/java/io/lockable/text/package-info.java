/**
 * The text of keys and durations in messages and the log. Not part of the API.
 */
@NullMarked
package io.lockable.text;

import org.jspecify.annotations.NullMarked;
