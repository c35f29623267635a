package io.lockable.autoconfigure.web;

import java.util.function.Consumer;

import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;
import io.lockable.autoconfigure.RequestIdProperties;
import io.lockable.spring.request.OutgoingRequestId;
import io.lockable.spring.request.RequestIdExchangeFilter;
import io.lockable.spring.request.RequestIdInitializer;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * {@link AutoConfiguration Auto-configuration} that adds the request id to calls of other
 * services, for the hosts in {@code distributed-lock.request-id.propagate-to}. Spring
 * Boot 3 has other customizer types; {@code lock-spring-boot-3} supports these.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnLockFlag({ "enabled", "request-id.enabled" })
public final class RequestIdClientAutoConfiguration {

	private static void ifEnabled(DistributedLockProperties properties, Consumer<OutgoingRequestId> customizer) {
		RequestIdProperties requestId = properties.requestId();
		OutgoingRequestId outgoing = new OutgoingRequestId(requestId.header(), requestId.propagateTo());
		if (outgoing.isEnabled()) {
			customizer.accept(outgoing);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ RestClientCustomizer.class, RestClient.class })
	static class RestClientConfiguration {

		@Bean
		RestClientCustomizer requestIdRestClientCustomizer(DistributedLockProperties properties) {
			return (builder) -> ifEnabled(properties,
					(outgoing) -> builder.requestInitializer(new RequestIdInitializer(outgoing)));
		}

		@Bean
		RestTemplateCustomizer requestIdRestTemplateCustomizer(DistributedLockProperties properties) {
			return (template) -> ifEnabled(properties,
					(outgoing) -> template.getClientHttpRequestInitializers().add(new RequestIdInitializer(outgoing)));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ WebClientCustomizer.class, WebClient.class })
	static class WebClientConfiguration {

		@Bean
		WebClientCustomizer requestIdWebClientCustomizer(DistributedLockProperties properties) {
			return (builder) -> ifEnabled(properties,
					(outgoing) -> builder.filter(new RequestIdExchangeFilter(outgoing)));
		}

	}

}
