package io.lockable.campaign.history;

import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.lockable.harness.process.Io;

/**
 * Appends events to the file of one worker. Each line is one system call, so a killed
 * worker loses at most the line in progress. It uses a stream, because an interrupt would
 * close a channel. Thread-safe.
 */
public final class HistoryWriter {

	private final OutputStream out;

	/**
	 * Opens a file.
	 * @param file the file to append to
	 */
	public HistoryWriter(Path file) {
		this.out = Io.call(() -> new FileOutputStream(file.toFile(), true));
	}

	/**
	 * Records an event of this moment.
	 * @param kind the kind of event
	 * @param id the attempt
	 * @param details the details
	 */
	public void note(Event.Kind kind, String id, Object... details) {
		noteAt(System.nanoTime(), kind, id, details);
	}

	/**
	 * Records an event.
	 * @param at the time of the event
	 * @param kind the kind of event
	 * @param id the attempt
	 * @param details the details
	 */
	public void noteAt(long at, Event.Kind kind, String id, Object... details) {
		List<String> words = Arrays.stream(details).map(String::valueOf).toList();
		byte[] line = (new Event(at, kind, id, words).line() + "\n").getBytes(StandardCharsets.UTF_8);
		synchronized (this.out) {
			Io.run(() -> this.out.write(line));
		}
	}

}
