/**
 * Annotated methods in a Spring application: their settings, and the exception for an
 * annotation that cannot work.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring;

import org.jspecify.annotations.NullMarked;
