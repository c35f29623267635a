package io.lockable.benchmark.worker;

import io.lockable.benchmark.measure.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * A message of a worker.
 *
 * @param mark the mark that the worker has reached
 * @param outcome its result
 * @param failure the reason of its failure
 */
record Message(@Nullable String mark, @Nullable Outcome outcome, @Nullable String failure) {
}
