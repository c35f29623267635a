/**
 * Finds annotations, parses their attributes and expressions, and derives the hints of a
 * native image.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.metadata;

import org.jspecify.annotations.NullMarked;
