/**
 * A Redis server in memory, which runs the real scripts of the locks.
 */
@NullMarked
package io.lockable.simulation.redis;

import org.jspecify.annotations.NullMarked;
