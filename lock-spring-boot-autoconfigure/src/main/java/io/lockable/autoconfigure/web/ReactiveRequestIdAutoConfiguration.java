package io.lockable.autoconfigure.web;

import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.properties.ConditionalOnLockFlag;
import io.lockable.autoconfigure.properties.DistributedLockProperties;
import io.lockable.spring.request.RequestIdWebFilter;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.server.WebFilter;

/**
 * {@link AutoConfiguration Auto-configuration} for the request id of reactive requests.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ WebFilter.class, Mono.class })
@ConditionalOnLockFlag({ "enabled", "request-id.enabled" })
public final class ReactiveRequestIdAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RequestIdWebFilter requestIdWebFilter(DistributedLockProperties properties) {
		return new RequestIdWebFilter(properties.requestId().header());
	}

}
