package io.lockable.spring.annotation;

import java.time.Duration;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;
import io.lockable.spring.LocksInMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ScheduledLock}.
 */
class ScheduledLockTests {

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner()
		.withPropertyValues("distributed-lock.wait-time=1m", "distributed-lock.on-failure=throw")
		.withBean(Jobs.class);

	@Test
	void attributesAreThoseOfTheAnnotation() {
		DistributedLockable annotation = annotation("all");
		assertThat(annotation.key()).containsExactly("a", "b");
		assertThat(annotation.minHold()).isEqualTo("30s");
		assertThat(annotation.maxHold()).isEqualTo("1h");
		assertThat(annotation.prefix()).isEqualTo("jobs:");
		assertThat(annotation.condition()).isEqualTo("true");
		assertThat(annotation.onLost()).isEqualTo(OnLost.INTERRUPT);
		assertThat(annotation.name()).isEqualTo("report");
	}

	@Test
	void jobDoesNotWaitSkipsAndIsKeptForASecondButNotRetained() {
		DistributedLockable annotation = annotation("byValue");
		assertThat(annotation.key()).containsExactly("a");
		assertThat(annotation.waitTime()).isZero();
		assertThat(annotation.onFailure()).isEqualTo(OnFailure.SKIP);
		assertThat(annotation.minHold()).isEqualTo("1s");
		assertThat(annotation.retain()).isEqualTo("0s");
	}

	@ParameterizedTest
	@ValueSource(strings = { "byValue", "byKey" })
	void jobThatRunsElsewhereIsSkippedAtOnce(String method) {
		this.contextRunner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			try (Lease lease = context.getBean(DistributedLocks.class).get("disLock:a").tryAcquire().orElseThrow()) {
				long start = System.nanoTime();
				Jobs.class.getMethod(method).invoke(jobs);
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
				assertThat(lease.isHeld()).isTrue();
			}
			assertThat(jobs.runs()).isZero();
		});
	}

	@Test
	void jobRunsWhenTheLockIsFree() {
		this.contextRunner.run((context) -> {
			context.getBean(Jobs.class).byKey();
			assertThat(context.getBean(Jobs.class).runs()).isOne();
		});
	}

	private static DistributedLockable annotation(String name) {
		DistributedLockable annotation = AnnotatedElementUtils
			.findMergedAnnotation(ReflectionUtils.findMethod(Jobs.class, name), DistributedLockable.class);
		assertThat(annotation).isNotNull();
		return annotation;
	}

	public static class Jobs {

		private int runs;

		int runs() {
			return this.runs;
		}

		@ScheduledLock("a")
		public void byValue() {
			this.runs++;
		}

		@ScheduledLock(key = "a")
		public void byKey() {
			this.runs++;
		}

		@ScheduledLock(key = { "a", "b" }, minHold = "30s", maxHold = "1h", prefix = "jobs:", condition = "true",
				onLost = OnLost.INTERRUPT, name = "report")
		public void all() {
			this.runs++;
		}

	}

}
