package io.lockable.campaign;

import java.util.List;

import io.lockable.campaign.check.Episode;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.Hold;
import io.lockable.campaign.history.Outcome;
import io.lockable.campaign.history.Released;
import io.lockable.campaign.history.Share;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Recovery}.
 */
class RecoveryTests {

	private static final long MILLI = 1_000_000;

	private final List<Episode> episodes = List.of(new Episode(100 * MILLI, 200 * MILLI, 300 * MILLI));

	@Test
	void recoveryCountsFromTheEndOfTheFault() {
		assertThat(recovery(holder(50, 90), holder(230, 240), holder(300, 310))).isEqualTo(30);
	}

	@Test
	void recoveryCountsFromTheReleaseOfAHolderThatKeptTheLock() {
		assertThat(recovery(holder(50, 260), holder(270, 280))).isEqualTo(10);
	}

	@Test
	void recoveryCountsFromTheFirstAttemptSince() {
		assertThat(recovery(holder(50, 90), attempt(250, 255, 0), attempt(260, 262, 2), holder(270, 275, 290)))
			.isEqualTo(15);
	}

	@Test
	void lockWithoutANewHolderHasNotRecovered() {
		assertThat(recovery(holder(50, 90))).isEqualTo(-1);
	}

	private long recovery(Attempt... holders) {
		return Recovery.longestMillis(List.of("key"), List.of(holders), this.episodes);
	}

	private static Attempt attempt(long asked, long ended, long patience) {
		return new Attempt("b-1", "key", Share.EXCLUSIVE, asked * MILLI, patience * MILLI, MILLI, Outcome.REFUSED,
				ended * MILLI, null);
	}

	private static Attempt holder(long got, long released) {
		return holder(0, got, released);
	}

	private static Attempt holder(long asked, long got, long released) {
		Hold hold = new Hold(got * MILLI, 1, got * MILLI, got * MILLI, released * MILLI, Long.MAX_VALUE,
				released * MILLI, released * MILLI, Released.OURS);
		return new Attempt("a-1", "key", Share.EXCLUSIVE, asked * MILLI, MILLI, MILLI, Outcome.GRANTED, got * MILLI,
				hold);
	}

}
