/**
 * The figures of a run as Markdown and JSON.
 */
@NullMarked
package io.lockable.benchmark.report;

import org.jspecify.annotations.NullMarked;
