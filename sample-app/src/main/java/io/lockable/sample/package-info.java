/**
 * The lock lab: a page on which several instances of a shop contend for one lock. Start
 * with {@link io.lockable.sample.Shop}, the code under the lock. {@code Lab} starts the
 * instances, {@code Buyers} runs in each of them.
 */
@NullMarked
package io.lockable.sample;

import org.jspecify.annotations.NullMarked;
