/**
 * The scenarios: the part that runs inside the workers, and the computation of the
 * figures.
 */
@NullMarked
package io.lockable.benchmark.scenario;

import org.jspecify.annotations.NullMarked;
