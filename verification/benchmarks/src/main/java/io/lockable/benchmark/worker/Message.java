package io.lockable.benchmark.worker;

import java.io.IOException;
import java.util.Objects;

import io.lockable.benchmark.measure.Outcome;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A message of a worker, one line of JSON: a reached mark, its outcome, or its failure.
 *
 * @param mark the mark
 * @param outcome the outcome
 * @param failure the failure
 */
record Message(@Nullable String mark, @Nullable Outcome outcome, @Nullable String failure) {

	static final JsonMapper JSON = new JsonMapper();

	static Message mark(String mark) {
		return new Message(mark, null, null);
	}

	static Message outcome(Outcome outcome) {
		return new Message(null, outcome, null);
	}

	static Message failure(Throwable failure) {
		return new Message(null, null, failure.toString());
	}

	Message checked() throws IOException {
		if (this.failure != null) {
			throw new IOException("The worker failed: " + this.failure);
		}
		return this;
	}

	Outcome requiredOutcome() {
		return Objects.requireNonNull(this.outcome, "The workers are not at the same mark");
	}

	String toLine() {
		return JSON.writeValueAsString(this);
	}

	static Message parse(String line) {
		return JSON.readValue(line, Message.class);
	}

}
