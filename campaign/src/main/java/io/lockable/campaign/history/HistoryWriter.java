package io.lockable.campaign.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Appends events to the file of one worker. Each line is one system call, so a worker
 * that is killed loses at most the line that it was about to write. A stream and no
 * channel: an interrupt closes a channel. Thread-safe.
 */
public final class HistoryWriter implements AutoCloseable {

	private final OutputStream out;

	/**
	 * Opens a file.
	 * @param file the file, to be appended to
	 */
	public HistoryWriter(Path file) {
		try {
			this.out = new FileOutputStream(file.toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Notes what happens now.
	 * @param kind what happens
	 * @param id the attempt
	 * @param details what else there is to say
	 */
	public void note(Event.Kind kind, String id, Object... details) {
		noteAt(System.nanoTime(), kind, id, details);
	}

	/**
	 * Notes what happened.
	 * @param at when it happened
	 * @param kind what happened
	 * @param id the attempt
	 * @param details what else there is to say
	 */
	public void noteAt(long at, Event.Kind kind, String id, Object... details) {
		List<String> words = Arrays.stream(details).map(String::valueOf).toList();
		byte[] line = (new Event(at, kind, id, words).line() + "\n").getBytes(StandardCharsets.UTF_8);
		try {
			synchronized (this.out) {
				this.out.write(line);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.out.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
