package io.lockable.autoconfigure.aop;

import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.spring.aop.LockedMethodsSelector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DistributedLockDisabledAutoConfiguration} and for the conditions of
 * {@link DistributedLockAopAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class DistributedLockDisabledAutoConfigurationTests {

	private static final String ADVISOR = LockedMethodsSelector.class.getPackageName() + ".LockAdvisor";

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				DistributedLockAopAutoConfiguration.class, DistributedLockDisabledAutoConfiguration.class));

	@Test
	void disabledRunsUnlockedAndWarnsOnce(CapturedOutput output) {
		this.contextRunner.withPropertyValues("distributed-lock.enabled=false")
			.withBean("jobs", Jobs.class)
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(DistributedLocks.class).doesNotHaveBean(ADVISOR);
				assertThat(context.getBean(Jobs.class).call()).isEqualTo("done");
			});
		assertThat(output.toString().lines().filter((line) -> line.contains("run without a lock"))).singleElement()
			.asString()
			.contains("WARN", "distributed-lock.enabled=false", "Beans: jobs");
	}

	@Test
	void disabledWithoutAnnotatedBeansIsSilent(CapturedOutput output) {
		this.contextRunner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("run without a lock");
	}

	@Test
	void enabledIsSilent(CapturedOutput output) {
		this.contextRunner.withBean(Jobs.class).run((context) -> assertThat(context).hasBean(ADVISOR));
		assertThat(output).doesNotContain("run without a lock");
	}

	public static class Jobs {

		@DistributedLockable(key = "a")
		public String call() {
			return "done";
		}

	}

}
