package io.lockable.autoconfigure;

import io.lockable.autoconfigure.properties.ConditionalOnLockFlag;
import io.lockable.spring.request.RequestIdTaskDecorator;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/**
 * {@link AutoConfiguration Auto-configuration} that carries the request id to the tasks
 * of the executors that Spring Boot configures, and so to {@code @Async} methods.
 *
 * <p>
 * The decorator is a fallback: where an application asks for its own, it gets that. From
 * Spring Boot 4 on the executors use both; before, an application's own alone.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnLockFlag({ "enabled", "request-id.enabled" })
public final class RequestIdTaskAutoConfiguration {

	@Bean
	@Fallback
	@ConditionalOnMissingBean
	RequestIdTaskDecorator requestIdTaskDecorator() {
		return new RequestIdTaskDecorator();
	}

}
