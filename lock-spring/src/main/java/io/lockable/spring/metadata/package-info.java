/**
 * Finds annotations, and parses their attributes.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.metadata;

import org.jspecify.annotations.NullMarked;
