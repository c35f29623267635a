/**
 * The id of a request, read from a header or generated, and its propagation to tasks and
 * calls.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
