package io.lockable.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link ReplicaQuorum}, {@link Replicas} and {@link Acknowledgements}.
 */
class ReplicaQuorumTests {

	@ParameterizedTest
	@CsvSource({ "NONE, 1, 0", "ONE, 1, 1", "ONE, 5, 1", "MAJORITY, 1, 1", "MAJORITY, 2, 2", "MAJORITY, 3, 2",
			"MAJORITY, 4, 3", "MAJORITY, 5, 3", "ALL, 1, 1", "ALL, 5, 5" })
	void neededIsTheShareOfTheReplicas(Replicas from, int replicas, int needed) {
		assertThat(new ReplicaQuorum(Acknowledgements.of(from).withReplicas(replicas)).needed()).isEqualTo(needed);
	}

	@Test
	void numberOfReplicasThatIsNotConfiguredIsTheLargestSeen() {
		ReplicaQuorum quorum = new ReplicaQuorum(Acknowledgements.of(Replicas.ALL));
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
		ReplicaQuorum quorum = new ReplicaQuorum(Acknowledgements.of(Replicas.ALL).withReplicas(2));
		assertThat(quorum.isCountDue(false)).isFalse();
		quorum.saw(4);
		assertThat(quorum.needed()).isEqualTo(2);
	}

	@Test
	void countIsDueForEachMasterAndNotRightAfter() {
		ReplicaQuorum quorum = new ReplicaQuorum(Acknowledgements.of(Replicas.ALL));
		assertThat(quorum.isCountDue(false)).isTrue();
		assertThat(quorum.counted("role:slave\r\nconnected_slaves:0\r\n")).as("a replica does not know").isFalse();
		assertThat(quorum.counted("role:master\r\nconnected_slaves:1\r\n")).isTrue();
		assertThat(quorum.isCountDue(true)).isFalse();
		assertThat(quorum.isCountDue(false)).as("another master").isTrue();
	}

	@Test
	void failureSaysHowManyOfHowManyWithinWhatTime() {
		ReplicaQuorum quorum = new ReplicaQuorum(new Acknowledgements(Replicas.MAJORITY, 3, Duration.ofMillis(200)));
		assertThat(quorum.missing(1, 2))
			.hasMessage("1 of 3 replicas acknowledged within 200ms, but 2 must acknowledge");
		assertThat(quorum.missing(1, 2).isRetryable()).isTrue();
	}

	@Test
	void valuesOutOfRangeAreRefused() {
		Acknowledgements valid = Acknowledgements.of(Replicas.ONE);
		assertThatIllegalArgumentException().isThrownBy(() -> valid.withReplicas(-1)).withMessageContaining("-1");
		assertThatIllegalArgumentException().isThrownBy(() -> valid.withTimeout(Duration.ZERO))
			.withMessageContaining("0s");
		assertThatIllegalArgumentException().isThrownBy(() -> valid.withTimeout(Duration.ofHours(2)));
	}

}
