/**
 * Runtime hints for applications that are processed ahead of time.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.aot;

import org.jspecify.annotations.NullMarked;
