/**
 * The leases of an instance and the shell around the state machine of each key. The shell
 * consists of waiters, renewal, events, and the removal of owner tokens from the server.
 */
@NullMarked
package io.lockable.engine.shell;

import org.jspecify.annotations.NullMarked;
