/**
 * The JVM in which one peer runs one scenario, and its protocol with the benchmark.
 */
@NullMarked
package io.lockable.benchmark.worker;

import org.jspecify.annotations.NullMarked;
