package io.lockable.engine.queue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A line that does not change is not copied.
 */
class LineTests {

	@Test
	void withoutNobodyIsTheSameLine() {
		Line line = RuleTable.line(RuleTable.A);
		assertThat(line.without("b")).isSameAs(line);
	}

}
