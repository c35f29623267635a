/**
 * The JVM in which one peer does one scenario, and how the benchmark speaks with it.
 */
@NullMarked
package io.lockable.benchmark.worker;

import org.jspecify.annotations.NullMarked;
