package io.lockable.campaign.report;

import java.util.List;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results as JSON: the rows of the table, and every round.
 */
public final class JsonReport {

	private static final JsonMapper JSON = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

	private JsonReport() {
	}

	/**
	 * Writes the report.
	 * @param results the rounds
	 * @return the text
	 */
	public static String of(List<RoundResult> results) {
		return JSON.writeValueAsString(new Document(Row.of(results), results));
	}

	/**
	 * Writes the report of a soak.
	 * @param result the soak
	 * @return the text
	 */
	public static String of(SoakResult result) {
		return JSON.writeValueAsString(result);
	}

	private record Document(List<Row> rows, List<RoundResult> rounds) {
	}

}
