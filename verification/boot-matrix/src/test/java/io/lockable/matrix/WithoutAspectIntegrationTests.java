package io.lockable.matrix;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * An annotation that no aspect applies. The tests of locks without annotations run on
 * this class path as on all others.
 */
@With(value = Part.REDIS, without = Part.ASPECTJ)
@ExtendWith(OutputCaptureExtension.class)
class WithoutAspectIntegrationTests {

	@Test
	void annotatedBeansAreRefused(CapturedOutput output) {
		assertThatException().isThrownBy(() -> Instance.onRedis(AnnotatedApplication.class).close());
		assertThat(output).contains("APPLICATION FAILED TO START",
				"@DistributedLockable cannot work on the bean 'till'", "Add spring-boot-starter-aspectj");
	}

	@Test
	void annotatedBeansRunUnlockedIfLocksAreDisabled() throws Exception {
		try (Instance instance = Instance.onRedis(AnnotatedApplication.class, "distributed-lock.enabled=false")) {
			String ran = instance.bean(AnnotatedApplication.Till.class)
				.pay(new AnnotatedApplication.Order("42"), () -> "ran");
			assertThat(ran).isEqualTo("ran");
		}
	}

}
