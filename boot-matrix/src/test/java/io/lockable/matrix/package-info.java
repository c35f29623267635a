/**
 * Small applications that are run on each supported Spring Boot, on class paths with and
 * without what is optional.
 */
@NullMarked
package io.lockable.matrix;

import org.jspecify.annotations.NullMarked;
