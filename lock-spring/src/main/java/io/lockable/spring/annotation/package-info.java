/**
 * The annotations of a Spring application.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.annotation;

import org.jspecify.annotations.NullMarked;
