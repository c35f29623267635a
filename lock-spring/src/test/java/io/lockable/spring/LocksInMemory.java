package io.lockable.spring;

import java.time.Duration;

import io.lockable.DistributedLocks;
import io.lockable.LockOptions;
import io.lockable.annotation.InTransaction;
import io.lockable.annotation.OnFailure;
import io.lockable.engine.LockEngine;
import io.lockable.spring.annotation.EnableDistributedLocks;
import io.lockable.spring.aop.LockedMethodsSelector;
import io.lockable.spring.request.RequestId;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * {@link EnableDistributedLocks} with locks in memory and the properties of Spring Boot.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockedMethodsSelector.class)
public class LocksInMemory {

	/**
	 * Returns a runner of contexts with annotated methods.
	 * @return the runner
	 */
	public static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LocksInMemory.class));
	}

	/**
	 * Returns the reason why a context with an invalid annotation failed to start.
	 * @param failure the startup failure
	 * @return the problem
	 */
	public static InvalidDistributedLockableException problem(@Nullable Throwable failure) {
		Throwable cause = failure;
		while (!(cause instanceof InvalidDistributedLockableException problem)) {
			if (cause == null) {
				throw new AssertionError("The application started, or failed otherwise", failure);
			}
			cause = cause.getCause();
		}
		return problem;
	}

	@Bean
	@ConditionalOnMissingBean(LockStore.class)
	InMemoryLockStore lockStore() {
		return new InMemoryLockStore();
	}

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean(DistributedLocks.class)
	LockEngine distributedLocks(LockStore store, Environment environment) {
		return LockEngine.builder(store)
			.defaults(options(environment))
			.requestId(RequestId::current)
			.shutdownTimeout(get(environment, "shutdown-timeout", Duration.ofSeconds(5)))
			.build();
	}

	@Bean
	static LockSettings lockSettings(ObjectProvider<Environment> environments) {
		Environment environment = environments.getObject();
		return new LockSettings(get(environment, "prefix", "disLock:"), options(environment),
				get(environment, "on-failure", OnFailure.THROW), get(environment, "in-transaction", InTransaction.KEEP),
				get(environment, "order", LockSettings.DEFAULT_ORDER),
				get(environment, "check.never-locked", Reaction.FAIL));
	}

	private static LockOptions options(Environment environment) {
		LockOptions defaults = LockOptions.defaults();
		return defaults.withWaitTime(get(environment, "wait-time", defaults.waitTime()))
			.withLease(get(environment, "lease", defaults.lease()))
			.withMaxHold(get(environment, "max-hold", defaults.maxHold()))
			.withRenewal(get(environment, "renewal", defaults.renewal()))
			.withRelease(get(environment, "release", defaults.release()));
	}

	@SuppressWarnings("unchecked")
	private static <T> T get(Environment environment, String property, T defaultValue) {
		Class<T> type = (Class<T>) ((defaultValue instanceof Enum<?> constant) ? constant.getDeclaringClass()
				: defaultValue.getClass());
		return Binder.get(environment).bind("distributed-lock." + property, type).orElse(defaultValue);
	}

}
