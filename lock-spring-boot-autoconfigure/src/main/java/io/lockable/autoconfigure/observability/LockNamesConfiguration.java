package io.lockable.autoconfigure.observability;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The names that meters and observations share, so that too many are warned of once.
 */
@Configuration(proxyBeanMethods = false)
class LockNamesConfiguration {

	/**
	 * The name of Spring Boot's engine, which is that of its bean.
	 */
	static final String ENGINE = "distributedLocks";

	@Bean
	LockNames lockNames() {
		return new LockNames();
	}

}
