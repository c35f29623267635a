package io.lockable.redis;

import java.util.List;

import io.lockable.redis.Belief.Share;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Belief}.
 */
class BeliefTests {

	@Test
	void exclusiveHoldersMayFollowEachOther() {
		assertThat(contradictions(exclusive(0, 10), exclusive(10, 20), exclusive(30, 40))).isEmpty();
	}

	@Test
	void exclusiveHoldersThatOverlapContradictEachOther() {
		assertThat(contradictions(exclusive(9, 20), exclusive(0, 10))).singleElement()
			.asString()
			.contains("EXCLUSIVE by 9 with token 9 beside EXCLUSIVE by 0 with token 0");
		assertThat(contradictions(exclusive(0, 50), exclusive(10, 20), exclusive(30, 40))).hasSize(2);
	}

	@Test
	void beliefOfASingleInstantProvesNothing() {
		assertThat(contradictions(exclusive(0, 10), exclusive(5, 5), exclusive(7, 6))).isEmpty();
	}

	@Test
	void readersContradictAWriterOnly() {
		assertThat(contradictions(reader(0, 10), reader(5, 20), reader(6, 7))).isEmpty();
		assertThat(contradictions(reader(0, 10), exclusive(5, 20))).hasSize(1);
		assertThat(contradictions(exclusive(0, 10), reader(5, 20))).hasSize(1);
	}

	@Test
	void permitsContradictEachOtherBeyondTheirNumber() {
		assertThat(contradictions(permit(0, 10), permit(5, 20), permit(10, 30))).isEmpty();
		assertThat(contradictions(permit(0, 10), permit(5, 20), permit(9, 30))).hasSize(1);
	}

	@Test
	void holdersOfDifferentLocksDoNotContradictEachOther() {
		assertThat(contradictions(exclusive(0, 10), new Belief("b", Share.EXCLUSIVE, "x", 0, 0, 10))).isEmpty();
	}

	@Test
	void lineIsParsedAsItIsWritten() {
		assertThat(Belief.parse(permit(-5, 10).line())).isEqualTo(permit(-5, 10));
	}

	private static List<String> contradictions(Belief... beliefs) {
		return Belief.contradictions(List.of(beliefs), 2);
	}

	private static Belief exclusive(long from, long until) {
		return new Belief("a", Share.EXCLUSIVE, Long.toString(from), from, from, until);
	}

	private static Belief reader(long from, long until) {
		return new Belief("a", Share.READ, Long.toString(from), from, from, until);
	}

	private static Belief permit(long from, long until) {
		return new Belief("a", Share.PERMIT, Long.toString(from), from, from, until);
	}

}
