/**
 * The shell around the state machine of each key: pending acquisitions, commands to the
 * store, leases and their renewal, events, and the removal of owner tokens from the
 * server.
 */
@NullMarked
package io.lockable.engine.shell;

import org.jspecify.annotations.NullMarked;
