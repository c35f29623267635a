package io.lockable.sample;

import java.util.Objects;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimelineTests {

	private final Timeline timeline = new Timeline();

	@Test
	void pageThatOpensReceivesTheStorySoFar() {
		add("run");
		add("sold");
		this.timeline.flush();
		add("ended");
		assertStory().extracting(Report::state).containsExactly("run", "sold");
	}

	@Test
	void storyContainsNoNumbersOfLocks() {
		add("locks");
		this.timeline.flush();
		assertStory().isEmpty();
	}

	@Test
	void longStoryBeginsWithTheStartOfItsFirstRun() {
		add("ready");
		add("run");
		for (int i = 0; i < Timeline.STORY; i++) {
			add("sold");
		}
		this.timeline.flush();
		assertStory().hasSize(Timeline.STORY + 1).extracting(Report::state).startsWith("run", "sold");
	}

	private void add(String state) {
		this.timeline.add(Report.of("lab", 0, state, 0, ""));
	}

	private ListAssert<Report> assertStory() {
		Object story = Objects.requireNonNull(this.timeline.events().blockFirst()).data();
		return assertThat(story).asInstanceOf(InstanceOfAssertFactories.list(Report.class));
	}

}
