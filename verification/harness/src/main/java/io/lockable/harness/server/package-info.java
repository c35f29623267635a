/**
 * Servers for the campaign and the benchmarks: one whose clock a test decides, and one on
 * the loopback address.
 */
@NullMarked
package io.lockable.harness.server;

import org.jspecify.annotations.NullMarked;
