/**
 * The leases of an instance and the shell around the state machine of each key: waiters,
 * renewal, events, and owner tokens that the server must forget.
 */
@NullMarked
package io.lockable.engine.lease;

import org.jspecify.annotations.NullMarked;
