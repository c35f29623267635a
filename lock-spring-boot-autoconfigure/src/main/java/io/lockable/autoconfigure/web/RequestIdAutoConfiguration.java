package io.lockable.autoconfigure.web;

import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.properties.ConditionalOnLockFlag;
import io.lockable.autoconfigure.properties.DistributedLockProperties;
import io.lockable.spring.request.RequestIdFilter;
import jakarta.servlet.Filter;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * {@link AutoConfiguration Auto-configuration} for the request id of servlet requests.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ Filter.class, OncePerRequestFilter.class })
@ConditionalOnLockFlag({ "enabled", "request-id.enabled" })
public final class RequestIdAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RequestIdFilter requestIdFilter(DistributedLockProperties properties) {
		return new RequestIdFilter(properties.requestId().header());
	}

}
