package io.lockable.autoconfigure;

import java.util.Arrays;
import java.util.List;

import io.lockable.DistributedLocks;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.Acknowledgements;
import io.lockable.redis.RedisLockStore;
import io.lockable.redis.RedlockLockStore;
import io.lockable.redis.Replicas;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The store of the locks.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean({ LockStore.class, DistributedLocks.class })
class LockStoreConfiguration {

	static final String MEMORY = "For tests or a single application instance, set distributed-lock.store=memory.";

	/**
	 * The store on Redis: on the server of a template, or on several masters with the
	 * connection settings of the template.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ RedisLockStore.class, StringRedisTemplate.class })
	@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "redis", matchIfMissing = true)
	static class Redis {

		@Bean
		LockStore lockStore(DistributedLockProperties properties, ObjectProvider<StringRedisTemplate> templates,
				ListableBeanFactory beanFactory) {
			RedisProperties redis = properties.redis();
			StringRedisTemplate template = template(redis.template(), templates, beanFactory);
			if (template.getConnectionFactory() == null) {
				throw new LockConfigurationException(
						"Distributed locks are stored in Redis, but the StringRedisTemplate has no connection factory, which is typical of a mock.",
						"Put @AutoConfigureDistributedLocks of lock-test on the test, or set distributed-lock.store=memory.");
			}
			if (redis.redlock().nodes().isEmpty()) {
				return new RedisLockStore(template, acknowledgements(redis), properties.waiterTimeout());
			}
			try {
				return RedlockLockStore.connect(template, redis.redlock().nodes(), redis.redlock().timeout());
			}
			catch (IllegalArgumentException ex) {
				throw new LockConfigurationException(
						"distributed-lock.redis.redlock.nodes cannot be used: %s.".formatted(ex.getMessage()),
						"Set it to an odd number, at least 3, of independent Redis masters, as in redis1:6379, redis2:6379, redis3:6379.");
			}
		}

		private static Acknowledgements acknowledgements(RedisProperties redis) {
			Integer count = redis.replicaCount();
			return new Acknowledgements(Replicas.valueOf(redis.replicas().name()), (count != null) ? count : 0,
					redis.replicaTimeout());
		}

		/**
		 * Finds the template of the application.
		 * @param name the configured bean name, or {@code null}
		 * @param templates all templates
		 * @param beanFactory the application's beans
		 * @return the template
		 */
		private static StringRedisTemplate template(@Nullable String name,
				ObjectProvider<StringRedisTemplate> templates, ListableBeanFactory beanFactory) {
			List<String> candidates = names(beanFactory, StringRedisTemplate.class);
			if (name != null) {
				if (!candidates.contains(name)) {
					throw new LockConfigurationException(
							"distributed-lock.redis.template names the bean '%s', which is not a StringRedisTemplate."
								.formatted(name),
							"Set it to one of these beans: %s.".formatted(String.join(", ", candidates)));
				}
				return beanFactory.getBean(name, StringRedisTemplate.class);
			}
			if (candidates.isEmpty()) {
				throw templateMissing(names(beanFactory, RedisConnectionFactory.class));
			}
			StringRedisTemplate template = templates.getIfUnique();
			if (template != null) {
				return template;
			}
			if (candidates.contains("stringRedisTemplate")) {
				return beanFactory.getBean("stringRedisTemplate", StringRedisTemplate.class);
			}
			throw new LockConfigurationException(
					"Distributed locks are stored in Redis, but there are several StringRedisTemplate beans, and none is primary: %s."
						.formatted(String.join(", ", candidates)),
					"Set distributed-lock.redis.template to the bean whose server stores the locks, or mark it as @Primary.");
		}

		private static LockConfigurationException templateMissing(List<String> connectionFactories) {
			if (connectionFactories.isEmpty()) {
				return new LockConfigurationException(
						"Distributed locks are stored in Redis, but Redis is not configured: there is no StringRedisTemplate bean.",
						"Add spring-boot-starter-data-redis and set spring.data.redis.host (or .url). " + MEMORY);
			}
			return new LockConfigurationException(
					("Distributed locks are stored in Redis, but no StringRedisTemplate bean exists. Several "
							+ "RedisConnectionFactory beans qualify for one: %s.")
						.formatted(String.join(", ", connectionFactories)),
					"Define a StringRedisTemplate bean for the server that stores the locks, or mark one "
							+ "RedisConnectionFactory as @Primary.");
		}

		private static List<String> names(ListableBeanFactory beanFactory, Class<?> type) {
			return Arrays.asList(beanFactory.getBeanNamesForType(type, true, false));
		}

	}

	/**
	 * The store in memory.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "memory")
	static class Memory {

		@Bean
		InMemoryLockStore lockStore(ObjectProvider<EngineRuntime> runtimes) {
			EngineRuntime runtime = runtimes.getIfUnique();
			return (runtime != null) ? new InMemoryLockStore(runtime::now) : new InMemoryLockStore();
		}

	}

}
