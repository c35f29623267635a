package io.lockable.engine.queue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Line}: an unchanged line is not copied.
 */
class LineTests {

	@Test
	void withoutNobodyIsTheSameLine() {
		Line line = RuleTable.line(RuleTable.A);
		assertThat(line.without("b")).isSameAs(line);
	}

}
