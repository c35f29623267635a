/**
 * The cost of the engine and of the annotation, without a server.
 */
@NullMarked
package io.lockable.benchmark.jmh;

import org.jspecify.annotations.NullMarked;
