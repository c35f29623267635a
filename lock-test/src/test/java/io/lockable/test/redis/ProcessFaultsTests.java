package io.lockable.test.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link ProcessFaults}.
 */
@DisabledOnOs(OS.WINDOWS)
class ProcessFaultsTests {

	private final ProcessFaults faults = new ProcessFaults();

	private Process echo;

	private BufferedReader answers;

	@BeforeEach
	void start() throws IOException {
		this.echo = new ProcessBuilder("cat").start();
		this.answers = this.echo.inputReader(StandardCharsets.UTF_8);
	}

	@AfterEach
	void end() {
		this.faults.close();
		this.echo.destroyForcibly();
	}

	@Test
	void frozenProcessDoesNothingUntilThawed() throws IOException {
		this.faults.thaw(this.echo);
		assertThat(answer("a")).isEqualTo("a");
		this.faults.freeze(this.echo);
		this.faults.freeze(this.echo);
		write("b");
		assertThat(this.answers.ready()).isFalse();
		this.faults.thaw(this.echo);
		assertThat(this.answers.readLine()).isEqualTo("b");
	}

	@Test
	void closeThawsEveryProcess() throws IOException {
		this.faults.freeze(this.echo.pid());
		this.faults.close();
		assertThat(answer("a")).isEqualTo("a");
	}

	@Test
	void frozenProcessMayBeKilled() {
		this.faults.freeze(this.echo);
		this.echo.destroyForcibly().onExit().join();
		assertThatNoException().isThrownBy(this.faults::close);
	}

	@Test
	void neitherThisProcessNorAnEndedOneCanBeFrozen() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.faults.freeze(ProcessHandle.current().pid()))
			.withMessageContaining("'pid'");
		this.echo.destroyForcibly().onExit().join();
		assertThatIllegalStateException().isThrownBy(() -> this.faults.freeze(this.echo));
	}

	private String answer(String line) throws IOException {
		write(line);
		return this.answers.readLine();
	}

	private void write(String line) throws IOException {
		OutputStream out = this.echo.getOutputStream();
		out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
		out.flush();
	}

}
