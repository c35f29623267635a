package io.lockable.autoconfigure;

import java.lang.reflect.Proxy;
import java.time.Duration;

import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockStoreCheck} without a single store to check.
 */
class LockStoreCheckTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(classes = { InlineStore.class, TwoStores.class })
	void checkThatHasNoStoreToAskIsRefused(Class<?> type) {
		for (String reaction : new String[] { "fail", "warn" }) {
			this.contextRunner.withPropertyValues("distributed-lock.check.unreachable-store=" + reaction)
				.withUserConfiguration(type)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(LockConfigurationException.class)
					.hasMessageContaining("'distributed-lock.check.unreachable-store' must be ignore")
					.hasMessageContaining("was " + reaction));
		}
		this.contextRunner.withUserConfiguration(type).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void everyProbeIsAsked() {
		this.contextRunner.withPropertyValues("distributed-lock.check.unreachable-store=fail")
			.withUserConfiguration(TwoProbes.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining("on purpose"));
	}

	@Test
	void storeIsAskedBeforeAnythingWorks() {
		this.contextRunner
			.run((context) -> assertThat(context.getBean("lockEngineLifecycle", SmartLifecycle.class).getPhase())
				.isLessThan(ExecutorConfigurationSupport.DEFAULT_PHASE)
				.isLessThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE));
	}

	@Configuration(proxyBeanMethods = false)
	static class InlineStore {

		@Bean
		LockEngine locks() {
			return LockEngine.builder(new InMemoryLockStore()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoStores extends InlineStore {

		@Bean
		LockStore first() {
			return new InMemoryLockStore();
		}

		@Bean
		LockStore second() {
			return new InMemoryLockStore();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoProbes extends TwoStores {

		@Bean
		LockStoreProbe firstProbe(LockStore first) {
			return new LockStoreProbe(first, "disLock:", Duration.ofSeconds(3));
		}

		@Bean
		LockStoreProbe secondProbe() {
			LockStore store = (LockStore) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> switch (method.getName()) {
						case "toString" -> "broken";
						case "hashCode" -> 1;
						case "connectTimeout" -> Duration.ZERO;
						default -> throw new IllegalStateException("on purpose");
					});
			return new LockStoreProbe(store, "disLock:", Duration.ofSeconds(3));
		}

	}

}
