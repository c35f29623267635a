package io.lockable.autoconfigure.aop;

import java.util.ArrayList;
import java.util.List;

import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.spring.aop.Weaving;
import io.lockable.spring.metadata.AnnotatedTypes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * {@link AutoConfiguration Auto-configuration} that warns once if locks are disabled, and
 * makes woven methods run without locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnClass(AutoProxyUtils.class)
@ConditionalOnLockFlag(value = "enabled", havingValue = false)
public final class DistributedLockDisabledAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(DistributedLockDisabledAutoConfiguration.class);

	@Bean
	SmartInitializingSingleton lockDisabler(ConfigurableListableBeanFactory beanFactory) {
		return () -> {
			Weaving.disableLocks();
			List<String> names = new ArrayList<>();
			AnnotatedTypes.forEachBean(beanFactory, (name, type) -> names.add(name));
			if (!names.isEmpty()) {
				logger.warn(
						"distributed-lock.enabled=false: methods annotated with @DistributedLockable run without a lock. Beans: {}",
						String.join(", ", names));
			}
		};
	}

}
