/**
 * Lock libraries, connected to the same Redis in the same way.
 */
@NullMarked
package io.lockable.harness.peer;

import org.jspecify.annotations.NullMarked;
