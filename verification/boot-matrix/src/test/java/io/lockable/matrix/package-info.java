/**
 * Small applications that run on each supported Spring Boot, on class paths with and
 * without optional libraries.
 */
@NullMarked
package io.lockable.matrix;

import org.jspecify.annotations.NullMarked;
