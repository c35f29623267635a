package io.lockable.simulation.redis;

import java.util.List;

/**
 * A reply of the server that is no error. Texts have one {@code char} for each byte.
 */
public sealed interface Reply {

	/**
	 * The reply of a command without a result.
	 */
	Reply OK = new Status("OK");

	/**
	 * A missing value.
	 */
	Reply NIL = new Nil();

	/**
	 * Returns an integer.
	 * @param value the value
	 * @return the reply
	 */
	static Reply of(long value) {
		return new Int(value);
	}

	/**
	 * Returns a text.
	 * @param value the value
	 * @return the reply
	 */
	static Reply of(String value) {
		return new Bulk(value);
	}

	/**
	 * Returns a list of texts.
	 * @param values the values
	 * @return the reply
	 */
	static Reply of(List<String> values) {
		return new Array(values.stream().map(Reply::of).toList());
	}

	/**
	 * An integer.
	 *
	 * @param value the value
	 */
	record Int(long value) implements Reply {

	}

	/**
	 * A text.
	 *
	 * @param value the value
	 */
	record Bulk(String value) implements Reply {

	}

	/**
	 * A status, such as {@code OK}.
	 *
	 * @param text the text
	 */
	record Status(String text) implements Reply {

	}

	/**
	 * A list.
	 *
	 * @param elements the elements
	 */
	record Array(List<Reply> elements) implements Reply {

	}

	/**
	 * A missing value.
	 */
	record Nil() implements Reply {

	}

}
