/**
 * Auto-configuration of distributed locks for Spring Boot: the properties, the engine,
 * its store, and the request id that owner tokens start with.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.autoconfigure;

import org.jspecify.annotations.NullMarked;
