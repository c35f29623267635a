/**
 * What the peers have to do: the part of each scenario that runs inside of the workers,
 * and how its figures are made.
 */
@NullMarked
package io.lockable.benchmark.scenario;

import org.jspecify.annotations.NullMarked;
