/**
 * The command line of a verification program, and the JVMs that it starts.
 */
@NullMarked
package io.lockable.harness.process;

import org.jspecify.annotations.NullMarked;
