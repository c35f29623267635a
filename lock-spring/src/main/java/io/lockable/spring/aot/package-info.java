/**
 * Runtime hints for ahead-of-time processing.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.aot;

import org.jspecify.annotations.NullMarked;
