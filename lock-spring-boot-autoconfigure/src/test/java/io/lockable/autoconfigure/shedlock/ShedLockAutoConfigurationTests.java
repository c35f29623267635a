package io.lockable.autoconfigure.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockOptions;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ShedLockAutoConfiguration}.
 */
class ShedLockAutoConfigurationTests {

	private static final String KEY = "disLock:shedlock:report";

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.shutdown-timeout=0s")
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, ShedLockAutoConfiguration.class));

	@Test
	void providerIsThere() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(LockProvider.class).hasSingleBean(ExtensibleLockProvider.class);
			Optional<SimpleLock> lock = context.getBean(LockProvider.class)
				.lock(DistributedLockProviderTests.configuration("report", Duration.ofMinutes(1), Duration.ZERO));
			assertThat(context.getBean(DistributedLocks.class).get(KEY).isLocked()).isTrue();
			lock.orElseThrow().unlock();
		});
	}

	@Test
	void prefixCanBeSet() {
		this.contextRunner.withPropertyValues("distributed-lock.shedlock.prefix=job-lock:default:")
			.run((context) -> assertThat(context.getBean(LockProvider.class)).asString()
				.contains("[job-lock:default:]"));
	}

	@Test
	void lockIsNeverRetained() {
		DistributedLocks locks = mock(DistributedLocks.class);
		ArgumentCaptor<LockOptions> options = ArgumentCaptor.forClass(LockOptions.class);
		given(locks.get(any(), options.capture())).willReturn(mock(DistributedLock.class));
		this.contextRunner.withPropertyValues("distributed-lock.retain=5s")
			.withBean(DistributedLocks.class, () -> locks)
			.run((context) -> {
				context.getBean(LockProvider.class)
					.lock(DistributedLockProviderTests.configuration("report", Duration.ofMinutes(1),
							Duration.ofSeconds(1)));
				assertThat(options.getValue().retain()).isZero();
				assertThat(options.getValue().minHold()).hasSeconds(1);
			});
	}

	@Test
	void providerOfTheApplicationStays() {
		LockProvider own = (configuration) -> Optional.empty();
		this.contextRunner.withBean(LockProvider.class, () -> own)
			.run((context) -> assertThat(context).getBean(LockProvider.class).isSameAs(own));
	}

	@Test
	void libraryIsOptional() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(DistributedLocks.class)
				.doesNotHaveBean("distributedLockProvider"));
	}

	@Test
	void annotatedJobRunsUnderTheLock() {
		this.contextRunner.withUserConfiguration(Scheduling.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThatIllegalStateException().isThrownBy(LockAssert::assertLocked);
			assertThat(jobs.report()).isEqualTo("locked");
			assertThat(context.getBean(DistributedLocks.class).get(KEY).isLocked()).isFalse();
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "10m")
	@Import(Jobs.class)
	static class Scheduling {

	}

	public static class Jobs {

		@SchedulerLock(name = "report")
		public String report() {
			LockAssert.assertLocked();
			return "locked";
		}

	}

}
