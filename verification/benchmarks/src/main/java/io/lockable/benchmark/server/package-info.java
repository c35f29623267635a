/**
 * The Redis that all peers share, and its figures.
 */
@NullMarked
package io.lockable.benchmark.server;

import org.jspecify.annotations.NullMarked;
