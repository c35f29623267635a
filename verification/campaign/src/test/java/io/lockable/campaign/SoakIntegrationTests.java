package io.lockable.campaign;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.lockable.campaign.check.Trend;
import io.lockable.campaign.report.SoakResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short soak of locks that leave nothing behind, and of a lock that leaks.
 */
@Tag("any-jdk")
class SoakIntegrationTests {

	@TempDir
	Path directory;

	@Test
	void nothingGrowsAndNothingRemains() throws IOException {
		SoakResult result = soak(2, "ours-mixed-lettuce", "ours-mixed-jedis");
		assertThat(result.remains()).isEmpty();
		assertThat(result.trends()).hasSize(7).noneMatch(Trend::grows);
		assertThat(result.operations()).isGreaterThan(100);
		assertThat(Files.readString(this.directory.resolve("soak.md"))).contains("sound", "keys of Redis");
		assertThat(Files.readString(this.directory.resolve("soak.json"))).contains("\"descriptors\"");
	}

	@Test
	void leakIsFound() throws IOException {
		SoakResult result = soak(1, "wrong-leak");
		assertThat(result.isSound()).isFalse();
		assertThat(result.trends()).filteredOn(Trend::grows).extracting(Trend::name).contains("bytes of heap of w0");
		assertThat(result.remains()).singleElement().asString().contains("has no end");
	}

	private SoakResult soak(int processes, String... contestants) throws IOException {
		SoakSettings settings = new SoakSettings(Duration.ofSeconds(5), processes, 40, 1, List.of(contestants),
				this.directory);
		return Soak.run(settings, new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
	}

}
