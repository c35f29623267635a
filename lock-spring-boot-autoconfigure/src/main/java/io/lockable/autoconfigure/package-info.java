/**
 * Auto-configuration of distributed locks for Spring Boot: the properties, the engine,
 * its store, and the request id in owner tokens.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure;

import org.jspecify.annotations.NullMarked;
