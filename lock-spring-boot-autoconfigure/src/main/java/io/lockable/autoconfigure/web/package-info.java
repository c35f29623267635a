/**
 * The request id of a request, taken from a header or made, and of its tasks and calls.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
