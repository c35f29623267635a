package io.lockable.autoconfigure.web;

import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;
import io.lockable.spring.request.RequestIdFilter;
import io.lockable.spring.request.RequestIdTaskDecorator;
import io.lockable.spring.request.RequestIdWebFilter;
import jakarta.servlet.Filter;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.WebFilter;

/**
 * {@link AutoConfiguration Auto-configuration} for the request id of servlet and reactive
 * requests. It also covers the tasks of Spring Boot's executors, which include
 * {@code @Async} methods.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnLockFlag({ "enabled", "request-id.enabled" })
public final class RequestIdAutoConfiguration {

	// A fallback: an injection point for a single decorator gets that of the application.
	// From Spring Boot 4 on, the executors use both; before, only the application's
	// decorator.
	@Bean
	@Fallback
	@ConditionalOnMissingBean
	RequestIdTaskDecorator requestIdTaskDecorator() {
		return new RequestIdTaskDecorator();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ Filter.class, OncePerRequestFilter.class })
	static class ServletConfiguration {

		@Bean
		@ConditionalOnMissingBean
		RequestIdFilter requestIdFilter(DistributedLockProperties properties) {
			return new RequestIdFilter(properties.requestId().header());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ WebFilter.class, Mono.class })
	static class ReactiveConfiguration {

		@Bean
		@ConditionalOnMissingBean
		RequestIdWebFilter requestIdWebFilter(DistributedLockProperties properties) {
			return new RequestIdWebFilter(properties.requestId().header());
		}

	}

}
