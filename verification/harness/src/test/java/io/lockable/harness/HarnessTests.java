package io.lockable.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.lockable.harness.process.ChildJvm;
import io.lockable.harness.process.Flags;
import io.lockable.harness.process.ParentJvm;
import io.lockable.harness.report.BarChart;
import io.lockable.harness.report.BarChart.Bar;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for the harness without Redis.
 */
class HarnessTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	@TempDir
	private Path folder;

	@Test
	void flagIsKnownAndHasValue() {
		Flags flags = Flags.parse(Set.of("--a", "--b"), "--a", "x,y");
		assertThat(flags.select("--a", List.of(), (name) -> List.of(name, "z"))).containsExactly("x", "z", "y");
		assertThat(flags.select("--b", List.of("all"), List::of)).containsExactly("all");
		assertThatIllegalArgumentException().isThrownBy(() -> flags.select("--a", List.of(), (name) -> List.of()))
			.withMessageContaining("x");
		assertThat(flags.seconds("--b", "0.5")).isEqualTo(Duration.ofMillis(500));
		assertThat(flags.duration("--b", "0.5ms")).isEqualTo(Duration.ofNanos(500_000));
		assertThat(flags.duration("--b", "250us")).isEqualTo(Duration.ofNanos(250_000));
		assertThat(flags.duration("--b", "0.1s")).isEqualTo(Duration.ofMillis(100));
		assertThat(flags.duration("--b", "30m")).isEqualTo(Duration.ofMinutes(30));
		assertThat(flags.duration("--b", "2h")).isEqualTo(Duration.ofHours(2));
		assertThatIllegalArgumentException().isThrownBy(() -> flags.duration("--a", "")).withMessageContaining("30m");
		assertThatIllegalArgumentException().isThrownBy(() -> Flags.parse(Set.of("--a"), "--a"));
		assertThatIllegalArgumentException().isThrownBy(() -> Flags.parse(Set.of("--a"), "--c", "1"));
	}

	@Test
	void childAnswersUntilItEnds() {
		try (ChildJvm child = new ChildJvm(Echo.class, List.of("-Xmx32m"), List.of("hello"),
				this.folder.resolve("log"))) {
			assertThat(child.answer(String[].class, TIMEOUT))
				.hasValueSatisfying((words) -> assertThat(words).containsExactly("hello"));
			child.tell("again");
			assertThat(child.answer(String.class, TIMEOUT)).hasValue("again");
			assertThat(child.stackTraces()).contains("\"main\"");
			child.close();
			assertThat(child.answer(String.class, TIMEOUT)).isEmpty();
			child.tell("nobody");
		}
	}

	@Test
	void longestBarHasFullWidth() {
		BarChart chart = new BarChart("title", 50,
				List.of(new Bar("one", 1, "red", "1 ms"), new Bar("two", 2, "red", "2 ms")));
		assertThat(chart.draw()).contains("width=\"235.0\"", "width=\"470.0\"", "2 ms");
	}

	/**
	 * Prints its argument and each line of its input.
	 */
	public static final class Echo {

		private Echo() {
		}

		/**
		 * Runs the program.
		 * @param arguments the first line of the output
		 * @throws IOException if the input cannot be read
		 */
		public static void main(String[] arguments) throws IOException {
			ParentJvm parent = new ParentJvm();
			parent.answer(ChildJvm.JSON.readValue(arguments[0], String[].class));
			for (String line = parent.command(); line != null; line = parent.command()) {
				parent.answer(line);
			}
		}

	}

}
