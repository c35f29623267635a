package io.lockable.benchmark.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The benchmark's commands to a worker: for each mark, the start of the next phase. The
 * end of the input means that the benchmark is complete or has ended.
 */
final class Commands {

	private final BlockingQueue<Long> starts = new LinkedBlockingQueue<>();

	private final CountDownLatch finished = new CountDownLatch(1);

	private volatile boolean awaitingEnd;

	Commands(InputStream in) {
		Thread reader = new Thread(() -> read(in), "commands");
		reader.setDaemon(true);
		reader.start();
	}

	private void read(InputStream in) {
		try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				this.starts.add(Long.valueOf(line));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.finished.countDown();
			if (!this.awaitingEnd) {
				Runtime.getRuntime().halt(1);
			}
		}
	}

	long next() throws InterruptedException {
		return this.starts.take();
	}

	void awaitEnd() throws InterruptedException {
		this.awaitingEnd = true;
		this.finished.await();
	}

}
