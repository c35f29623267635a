/**
 * The engine between the API and a store.
 * @since 0.1.0
 */
@NullMarked
package io.lockable.engine;

import org.jspecify.annotations.NullMarked;
