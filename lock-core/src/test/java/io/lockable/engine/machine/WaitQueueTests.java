package io.lockable.engine.machine;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WaitQueue}: an unchanged line is not copied.
 */
class WaitQueueTests {

	@Test
	void withoutNobodyIsTheSameLine() {
		WaitQueue waiting = RuleTable.waiting(RuleTable.A);
		assertThat(waiting.without("b")).isSameAs(waiting);
	}

}
