package io.lockable.harness.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SteppedClock}.
 */
class SteppedClockTests {

	@TempDir
	Path folder;

	@Test
	void machineWithACompilerLacksNothing() throws IOException {
		assertThat(Files.createFile(this.folder.resolve("cc")).toFile().setExecutable(true)).isTrue();
		assertThat(SteppedClock.missing("Linux on amd64", "/nowhere:" + this.folder)).isEmpty();
	}

	@Test
	void machineWithoutACompilerIsToldWhatToInstall() {
		assertThat(SteppedClock.missing("Linux on amd64", this.folder.toString()))
			.hasValueSatisfying((reason) -> assertThat(reason).contains("install 'cc'").contains("gcc"));
	}

	@Test
	void otherSystemIsNamed() {
		assertThat(SteppedClock.missing("Mac OS X on aarch64", "/usr/bin")).hasValueSatisfying(
				(reason) -> assertThat(reason).contains("requires Linux on amd64, was Mac OS X on aarch64"));
	}

}
