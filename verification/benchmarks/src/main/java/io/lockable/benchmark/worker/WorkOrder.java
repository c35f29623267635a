package io.lockable.benchmark.worker;

import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Pace;

/**
 * The task of a worker.
 *
 * @param scenario the name of the scenario
 * @param peer the peer
 * @param server the server, as host:port
 * @param process the number of the worker
 * @param witness the file that all workers of the cell share
 * @param pace the durations of the phases
 */
public record WorkOrder(String scenario, PeerKind peer, String server, int process, String witness, Pace pace) {

}
