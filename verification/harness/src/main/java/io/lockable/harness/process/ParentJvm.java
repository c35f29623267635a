package io.lockable.harness.process;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * The JVM that started this one as a {@link ChildJvm}.
 */
public final class ParentJvm {

	private final PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
			StandardCharsets.UTF_8);

	private final BufferedReader commands = new BufferedReader(
			new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));

	/**
	 * Takes the standard output for the answers, and ends this JVM with the other one.
	 */
	public ParentJvm() {
		// Output of a library must not mix with the answers
		System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
		ProcessHandle.current()
			.parent()
			.ifPresent((parent) -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
	}

	/**
	 * Waits for the next command.
	 * @return the line, or {@code null} if the other JVM has ended
	 * @throws IOException if the input cannot be read
	 */
	public @Nullable String command() throws IOException {
		return this.commands.readLine();
	}

	/**
	 * Answers.
	 * @param answer the answer, in JSON
	 */
	public void answer(Object answer) {
		this.answers.println(ChildJvm.JSON.writeValueAsString(answer));
	}

}
