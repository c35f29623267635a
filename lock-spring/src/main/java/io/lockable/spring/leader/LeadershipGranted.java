package io.lockable.spring.leader;

/**
 * The application event of a {@link LeaderElection} that this instance has won.
 *
 * @param role the role of the leader
 * @param fencingToken the fencing token of the leadership, larger than that of any
 * earlier leader
 * @since 0.1.0
 */
public record LeadershipGranted(String role, long fencingToken) {

}
