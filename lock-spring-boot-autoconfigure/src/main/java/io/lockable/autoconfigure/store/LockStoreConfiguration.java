package io.lockable.autoconfigure.store;

import java.util.Arrays;
import java.util.List;

import io.lockable.DistributedLocks;
import io.lockable.Internal;
import io.lockable.autoconfigure.properties.DistributedLockProperties;
import io.lockable.autoconfigure.properties.RedisProperties;
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
@Internal
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean({ LockStore.class, DistributedLocks.class })
public class LockStoreConfiguration {

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
				throw MissingLockStoreException.connectionMissing();
			}
			if (redis.redlock().nodes().isEmpty()) {
				return new RedisLockStore(template, acknowledgements(redis), properties.waiterTimeout());
			}
			try {
				return RedlockLockStore.connect(template, redis.redlock().nodes(), redis.redlock().timeout());
			}
			catch (IllegalArgumentException ex) {
				throw MissingLockStoreException.mastersUnusable(ex);
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
					throw MissingLockStoreException.templateUnknown(name, candidates);
				}
				return beanFactory.getBean(name, StringRedisTemplate.class);
			}
			if (candidates.isEmpty()) {
				throw MissingLockStoreException.templateMissing(names(beanFactory, RedisConnectionFactory.class));
			}
			StringRedisTemplate template = templates.getIfUnique();
			if (template != null) {
				return template;
			}
			if (candidates.contains("stringRedisTemplate")) {
				return beanFactory.getBean("stringRedisTemplate", StringRedisTemplate.class);
			}
			throw MissingLockStoreException.templateAmbiguous(candidates);
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
