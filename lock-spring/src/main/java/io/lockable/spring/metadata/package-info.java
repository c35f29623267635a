/**
 * Finds annotations, and parses what they say about the locks of a method.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.metadata;

import org.jspecify.annotations.NullMarked;
