package io.lockable.spring.leader;

/**
 * The application event of a leadership that has ended in this instance. It follows each
 * {@link LeadershipGranted}.
 *
 * @param role the role of the leader
 * @param fencingToken the fencing token of the ended leadership
 * @since 0.1.0
 */
public record LeadershipRevoked(String role, long fencingToken) {

}
