package io.lockable.campaign.worker;

/**
 * The state of a worker at one moment: during a soak, or after a round.
 *
 * @param threads the number of threads in its JVM
 * @param entries the number of locks and waiters for which its library has an entry
 * @param heap the reachable bytes of its heap
 * @param descriptors the number of open files and connections
 * @param operations the number of acquisitions in a soak
 */
public record Report(int threads, int entries, long heap, long descriptors, long operations) {
}
