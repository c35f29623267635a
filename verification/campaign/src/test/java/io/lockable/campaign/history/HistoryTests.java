package io.lockable.campaign.history;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link History} and {@link HistoryWriter}.
 */
class HistoryTests {

	@TempDir
	Path directory;

	@Test
	void attemptIsReadAsItWasWritten() {
		Path file = this.directory.resolve("a");
		HistoryWriter writer = new HistoryWriter(file);
		writer.noteAt(10, Event.Kind.ASK, "w0-1", "key", Share.READ, 1000, 100);
		writer.noteAt(20, Event.Kind.GOT, "w0-1", 7);
		writer.noteAt(21, Event.Kind.HELD, "w0-1", 22);
		writer.noteAt(30, Event.Kind.HELD, "w0-1", 31);
		writer.noteAt(35, Event.Kind.LOST, "w0-1");
		writer.noteAt(40, Event.Kind.RELEASE, "w0-1");
		writer.noteAt(50, Event.Kind.RELEASED, "w0-1", Released.NOT_OURS);
		writer.noteAt(60, Event.Kind.PAUSE, "w0-", 70);
		History history = History.read(List.of(file));
		assertThat(history.attempts()).containsExactly(new Attempt("w0-1", "key", Share.READ, 10, 1000, 100,
				Outcome.GRANTED, 20, new Hold(20, 7, 21, 22, 30, 35, 40, 50, Released.NOT_OURS)));
		assertThat(history.pauses()).containsExactly(new Pause("w0", 60, 70));
	}

	@Test
	void lastLineOfAWorkerThatWasKilledIsLeftOut() throws Exception {
		Path file = this.directory.resolve("a");
		Files.writeString(file, "10 ASK w0-1 key EXCLUSIVE 1000 100\n20 GOT w0-1 12");
		assertThat(History.read(List.of(file, this.directory.resolve("missing"))).attempts()).singleElement()
			.matches((attempt) -> attempt.outcome() == Outcome.UNKNOWN && attempt.ended() == Long.MAX_VALUE
					&& attempt.hold() == null);
	}

	@Test
	void evidenceHasTheFirstAndTheLastQuestion() throws Exception {
		Path file = this.directory.resolve("a");
		Files.writeString(file, """
				10 GOT w0-1 12
				11 HELD w0-1 12
				13 HELD w0-1 14
				14 GOT w0-11 5
				15 HELD w0-1 16
				17 RELEASE w0-1
				""");
		assertThat(History.lines(List.of(file), List.of("w0-1"))).containsExactly("10 GOT w0-1 12", "11 HELD w0-1 12",
				"15 HELD w0-1 16", "17 RELEASE w0-1");
	}

	@Test
	void eventWithoutAnAttemptIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> History.parse(List.of("20 GOT w0-1 12")));
	}

	@Test
	void pauseTakesWhatItHasInCommon() {
		Pause pause = new Pause("w0", 10, 20);
		assertThat(pause.within(0, 15)).isEqualTo(5);
		assertThat(pause.within(12, 14)).isEqualTo(2);
		assertThat(pause.within(20, 30)).isZero();
	}

}
