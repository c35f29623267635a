/**
 * What the engine and the annotation cost by themselves, without a server.
 */
@NullMarked
package io.lockable.benchmark.jmh;

import org.jspecify.annotations.NullMarked;
