/**
 * The Redis that all peers share, and what it tells about itself.
 */
@NullMarked
package io.lockable.benchmark.server;

import org.jspecify.annotations.NullMarked;
