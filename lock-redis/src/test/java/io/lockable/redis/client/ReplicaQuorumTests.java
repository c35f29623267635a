package io.lockable.redis.client;

import java.time.Duration;

import io.lockable.engine.runtime.EngineRuntime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ReplicaQuorum}.
 */
class ReplicaQuorumTests {

	private static final EngineRuntime RUNTIME = mock();

	private static final Duration TIMEOUT = Duration.ofMillis(200);

	@Test
	void neededIsComputedFromTheNumberOfReplicas() {
		assertThat(new ReplicaQuorum(3, (replicas) -> replicas / 2 + 1, TIMEOUT, RUNTIME).needed()).isEqualTo(2);
	}

	@Test
	void numberOfReplicasThatIsNotConfiguredIsTheLargestSeen() {
		ReplicaQuorum quorum = new ReplicaQuorum(0, (replicas) -> replicas, TIMEOUT, RUNTIME);
		assertThat(quorum.needed()).as("never none").isOne();
		quorum.counted("role:master\r\nconnected_slaves:0\r\n");
		assertThat(quorum.needed()).isOne();
		quorum.counted("role:master\r\nconnected_slaves:3\r\n");
		quorum.counted("role:master\r\nconnected_slaves:2\r\n");
		assertThat(quorum.needed()).isEqualTo(3);
		quorum.saw(4);
		assertThat(quorum.needed()).isEqualTo(4);
	}

	@Test
	void numberOfReplicasThatIsConfiguredIsNotAskedFor() {
		ReplicaQuorum quorum = new ReplicaQuorum(2, (replicas) -> replicas, TIMEOUT, RUNTIME);
		assertThat(quorum.isCountDue(false)).isFalse();
		quorum.saw(4);
		assertThat(quorum.needed()).isEqualTo(2);
	}

	@Test
	void countIsDueForEachMasterAndNotRightAfter() {
		ReplicaQuorum quorum = new ReplicaQuorum(0, (replicas) -> replicas, TIMEOUT, RUNTIME);
		assertThat(quorum.isCountDue(false)).isTrue();
		assertThat(quorum.counted("role:slave\r\nconnected_slaves:0\r\n")).as("a replica does not know").isFalse();
		assertThat(quorum.counted("role:master\r\nconnected_slaves:1\r\n")).isTrue();
		assertThat(quorum.isCountDue(true)).isFalse();
		assertThat(quorum.isCountDue(false)).as("another master").isTrue();
	}

	@Test
	void failureSaysHowManyOfHowManyWithinWhatTime() {
		ReplicaQuorum quorum = new ReplicaQuorum(3, (replicas) -> 2, TIMEOUT, RUNTIME);
		assertThat(quorum.missing(1, 2))
			.hasMessage("1 of 3 replicas acknowledged within 200ms, but 2 must acknowledge");
		assertThat(quorum.missing(1, 2).isRetryable()).isTrue();
	}

}
