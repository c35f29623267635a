/**
 * A comparison of this library with its peers, in one run on one server.
 */
@NullMarked
package io.lockable.benchmark;

import org.jspecify.annotations.NullMarked;
