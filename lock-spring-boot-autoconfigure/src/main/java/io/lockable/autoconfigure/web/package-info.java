/**
 * The request id of a servlet request, taken from a header or made.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
