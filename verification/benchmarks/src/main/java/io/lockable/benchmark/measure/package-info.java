/**
 * The measurements, inside a worker JVM and over all of them: exclusion, acquisitions,
 * hand-offs, and the figures derived from them.
 */
@NullMarked
package io.lockable.benchmark.measure;

import org.jspecify.annotations.NullMarked;
