package io.lockable.matrix;

import io.lockable.matrix.AnnotatedApplication.Order;
import io.lockable.matrix.AnnotatedApplication.Till;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * An application without libraries of a store.
 */
@With(without = { Part.REDIS, Part.POSTGRESQL })
@ExtendWith(OutputCaptureExtension.class)
class WithoutRedisIntegrationTests {

	@Test
	void locksInMemory() throws Exception {
		try (Instance instance = Instance.start(AnnotatedApplication.class, "distributed-lock.store=memory")) {
			boolean locked = instance.bean(Till.class)
				.pay(new Order("42"), () -> instance.locks().get("disLock:42").isLocked());
			assertThat(locked).isTrue();
		}
	}

	@Test
	void isToldWhatIsMissing(CapturedOutput output) {
		assertThatException().isThrownBy(() -> Instance.start(AnnotatedApplication.class).close());
		assertThat(output).contains("APPLICATION FAILED TO START",
				"lock-redis or spring-data-redis is missing from the class path", "Add lock-spring-boot-starter");
	}

}
