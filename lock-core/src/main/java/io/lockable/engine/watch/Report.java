package io.lockable.engine.watch;

import java.util.List;

/**
 * The answer of an instance.
 *
 * @param instance the name of the instance
 * @param complete whether the answer has all locks of the instance
 * @param holds the held locks
 * @param waits the waiting calls, if all locks are requested
 */
record Report(String instance, boolean complete, List<Hold> holds, List<Wait> waits) {

}
