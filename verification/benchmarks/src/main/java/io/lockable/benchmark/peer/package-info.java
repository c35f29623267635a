/**
 * The lock libraries under comparison, and the bare protocol as their limit.
 */
@NullMarked
package io.lockable.benchmark.peer;

import org.jspecify.annotations.NullMarked;
