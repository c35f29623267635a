/**
 * The figures of a run, for people and for programs.
 */
@NullMarked
package io.lockable.benchmark.report;

import org.jspecify.annotations.NullMarked;
