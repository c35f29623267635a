/**
 * A small shop with one stock counter, which sells too much without a lock and never with
 * one, over any number of instances.
 */
@NullMarked
package io.lockable.sample;

import org.jspecify.annotations.NullMarked;
