package io.lockable.autoconfigure.store;

import io.lockable.DistributedLocks;
import io.lockable.Internal;
import io.lockable.autoconfigure.properties.DistributedLockProperties;
import io.lockable.autoconfigure.properties.RedisProperties;
import io.lockable.redis.RedisLockStore;
import io.lockable.redis.RedlockLockStore;
import io.lockable.store.LockStore;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The store on several Redis masters. It takes the place of the one on a single master,
 * whose template says how to connect.
 */
@Internal
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ RedisLockStore.class, StringRedisTemplate.class })
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "redis", matchIfMissing = true)
@Conditional(OnRedlockCondition.class)
@ConditionalOnMissingBean({ LockStore.class, DistributedLocks.class })
public class RedlockLockStoreConfiguration {

	@Bean
	RedlockLockStore lockStore(DistributedLockProperties properties, ObjectProvider<StringRedisTemplate> templates,
			ListableBeanFactory beanFactory) {
		RedisProperties redis = properties.redis();
		StringRedisTemplate template = RedisLockStoreConfiguration.template(redis.template(), templates, beanFactory);
		try {
			return RedlockLockStore.connect(template, redis.redlock().nodes(), redis.redlock().timeout());
		}
		catch (IllegalArgumentException ex) {
			throw MissingLockStoreException.mastersUnusable(ex);
		}
	}

}
