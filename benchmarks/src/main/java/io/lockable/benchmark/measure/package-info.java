/**
 * What is measured, inside a worker JVM and over all of them: the exclusion of the lock,
 * acquisitions, hand-offs, and the figures made of them.
 */
@NullMarked
package io.lockable.benchmark.measure;

import org.jspecify.annotations.NullMarked;
