package io.lockable.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Shrinker}.
 */
class ShrinkerTests {

	@Test
	void elementsThatTheViolationDoesNotNeedAreRemoved() {
		Set<String> needed = Set.of("CRASH@i1#3", "CRASH@i1#44", "CLOSE@i1/1.1#90", "PREEMPT@i1#17", "PREEMPT@i1#99");
		List<String> all = new ArrayList<>();
		IntStream.rangeClosed(1, 50).forEach((i) -> all.add("CRASH@i1#" + i));
		IntStream.rangeClosed(51, 100).forEach((i) -> all.add("CLOSE@i1/1.1#" + i));
		IntStream.rangeClosed(1, 100).forEach((i) -> all.add("PREEMPT@i1#" + i));
		Collections.shuffle(all, new Random(1));
		Shrinker shrinker = new Shrinker((elements) -> elements.containsAll(needed) ? elements : null);
		assertThat(shrinker.shrink(new LinkedHashSet<>(all))).hasSizeLessThan(all.size())
			.containsExactlyInAnyOrderElementsOf(needed);
	}

	@Test
	void elementsThatDoNotHappenAreRemoved() {
		Shrinker shrinker = new Shrinker((elements) -> elements.contains("CRASH@i1#1") ? Set.of("CRASH@i1#1") : null);
		assertThat(shrinker.shrink(Set.of("CRASH@i1#1", "PAUSE@i1#1", "DELAY@i1/1.1#1"))).containsExactly("CRASH@i1#1");
	}

	@Test
	void violationWithoutElementsNeedsNone() {
		Shrinker shrinker = new Shrinker((elements) -> elements);
		assertThat(shrinker.shrink(Set.of("CRASH@i1#1", "PREEMPT@i1#1"))).isEmpty();
	}

	@Test
	void elementsThatAreNeededTogetherAreKept() {
		Set<String> together = new LinkedHashSet<>();
		IntStream.rangeClosed(1, 20).forEach((i) -> together.add("ERROR_REPLY@i1/1.1#" + i));
		Shrinker shrinker = new Shrinker((elements) -> elements.containsAll(together) ? elements : null);
		assertThat(shrinker.shrink(together)).isEqualTo(together);
	}

}
