package io.lockable.campaign.report;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the reports.
 */
class ReportTests {

	private final RoundResult sound = new RoundResult("stall", "ours-fair-jedis", "standalone", 1, 100, 1, 2, 40, 5,
			List.of(), List.of(), List.of(), "run 1");

	private final RoundResult broken = new RoundResult("stall", "ours-fair-jedis", "standalone", 2, 50, 0, 1, -1, 9,
			List.of("EXCLUSION: key: both"), List.of("10 GOT a-1 7"), List.of("2 keys"), "run 2");

	@Test
	void roundsOfOneFaultAreOneRow() {
		assertThat(MarkdownReport.of(List.of(this.sound)))
			.contains("| ours-fair-jedis | stall | 1 | 100 | 1 | 2 | 40 ms | 0 | 0 |");
		assertThat(MarkdownReport.of(List.of(this.sound, this.broken)))
			.contains("| ours-fair-jedis | stall | 2 | 150 | 1 | 3 | none | 1 | 1 |");
	}

	@Test
	void violationHasItsEvidenceAndTheCommandThatRepeatsIt() {
		assertThat(MarkdownReport.of(List.of(this.sound, this.broken)))
			.contains("EXCLUSION: key: both", "run 2", "10 GOT a-1 7", "leak: 2 keys")
			.doesNotContain("run 1");
	}

	@Test
	void leakOfOursMakesARoundUnsoundAndThatOfAPeerDoesNot() {
		RoundResult ours = leaking("ours-fair-jedis");
		RoundResult peer = leaking("redisson");
		assertThat(ours.isSound()).isFalse();
		assertThat(peer.isSound()).isTrue();
		assertThat(MarkdownReport.of(List.of(ours, peer))).contains("leak: 2 keys", "run ours-fair-jedis")
			.contains("| redisson | stall | 1 | 100 | 1 | 2 | 40 ms | 0 | 1 |")
			.doesNotContain("run redisson");
	}

	private static RoundResult leaking(String contestant) {
		return new RoundResult("stall", contestant, "standalone", 1, 100, 1, 2, 40, 5, List.of(), List.of(),
				List.of("2 keys"), "run " + contestant);
	}

	@Test
	void pictureShowsBrokenPromisesInRed() {
		assertThat(SvgReport.of(List.of(this.sound))).contains("40 ms").doesNotContain("#c0392b");
		assertThat(SvgReport.of(List.of(this.broken))).contains("#c0392b", "1 violations");
	}

}
