/**
 * Redis for tests: servers, clusters and Sentinels as processes or containers, logs of
 * their commands, and faults of the network and of processes.
 */
@NullMarked
package io.lockable.test.redis;

import org.jspecify.annotations.NullMarked;
