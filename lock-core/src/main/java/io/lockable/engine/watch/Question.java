package io.lockable.engine.watch;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A question to one or all instances. It ends with the last answer, or when its time is
 * over. Thread-safe.
 */
final class Question {

	private final List<Report> reports = new CopyOnWriteArrayList<>();

	private final CompletableFuture<List<Report>> answer = new CompletableFuture<>();

	private volatile long receivers = Long.MAX_VALUE;

	/**
	 * Records the number of instances that have the question.
	 * @param count the number
	 */
	void sentTo(long count) {
		this.receivers = count;
		endIfComplete();
	}

	void add(Report report) {
		this.reports.add(report);
		endIfComplete();
	}

	private void endIfComplete() {
		if (this.reports.size() >= this.receivers) {
			end();
		}
	}

	void end() {
		this.answer.complete(List.copyOf(this.reports));
	}

	void fail(Throwable failure) {
		this.answer.completeExceptionally(failure);
	}

	CompletableFuture<List<Report>> answer() {
		return this.answer;
	}

	/**
	 * Returns the number of instances without an answer.
	 * @return the number, as far as the store has reported the receivers
	 */
	long silent() {
		return (this.receivers != Long.MAX_VALUE) ? Math.max(0, this.receivers - this.reports.size()) : 0;
	}

}
