/**
 * Servers whose clock a test decides.
 */
@NullMarked
package io.lockable.harness.server;

import org.jspecify.annotations.NullMarked;
