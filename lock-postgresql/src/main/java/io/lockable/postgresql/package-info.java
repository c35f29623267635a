/**
 * The lock store on PostgreSQL. The file {@code schema.sql} of this package creates its
 * tables and functions.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.postgresql;

import org.jspecify.annotations.NullMarked;
