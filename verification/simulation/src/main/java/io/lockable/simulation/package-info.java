/**
 * A simulation of the whole library: several engines, the network between them and Redis,
 * and all clocks, on one thread. A seed decides everything.
 */
@NullMarked
package io.lockable.simulation;

import org.jspecify.annotations.NullMarked;
