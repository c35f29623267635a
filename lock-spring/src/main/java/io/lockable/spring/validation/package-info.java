/**
 * The validation of annotated beans at startup.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.validation;

import org.jspecify.annotations.NullMarked;
