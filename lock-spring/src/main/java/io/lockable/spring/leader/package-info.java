/**
 * Leader election: one instance of an application has a role at a time.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.leader;

import org.jspecify.annotations.NullMarked;
