/**
 * A campaign that injects faults to break locks, and proves violations from histories.
 */
@NullMarked
package io.lockable.campaign;

import org.jspecify.annotations.NullMarked;
