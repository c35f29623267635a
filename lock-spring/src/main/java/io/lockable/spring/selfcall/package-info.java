/**
 * Reads class files to find calls of annotated methods within the same object.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.selfcall;

import org.jspecify.annotations.NullMarked;
