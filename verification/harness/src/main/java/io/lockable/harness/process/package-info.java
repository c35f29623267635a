/**
 * The command line of a verification program, the JVMs and threads that it starts, and
 * unchecked calls.
 */
@NullMarked
package io.lockable.harness.process;

import org.jspecify.annotations.NullMarked;
