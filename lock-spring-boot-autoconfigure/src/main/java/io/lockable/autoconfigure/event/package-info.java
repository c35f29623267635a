/**
 * Lock events as events of the application.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure.event;

import org.jspecify.annotations.NullMarked;
