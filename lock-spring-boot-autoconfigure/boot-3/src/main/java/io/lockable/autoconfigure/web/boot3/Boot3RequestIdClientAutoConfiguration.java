package io.lockable.autoconfigure.web.boot3;

import java.util.function.BiFunction;

import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;
import io.lockable.autoconfigure.RequestIdProperties;
import io.lockable.spring.request.OutgoingRequestId;
import io.lockable.spring.request.RequestIdExchangeFilter;
import io.lockable.spring.request.RequestIdInitializer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * {@link AutoConfiguration Auto-configuration} that adds the request id to calls of other
 * services on Spring Boot 3. It changes each builder that is a bean. Inactive on Spring
 * Boot 4, which has other types of builders.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(RestTemplateBuilder.class)
@ConditionalOnLockFlag({ "enabled", "request-id.enabled" })
public final class Boot3RequestIdClientAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RestClient.class)
	static class RestClientConfiguration {

		@Bean
		static BuilderPostProcessor requestIdRestClientBuilderPostProcessor(
				ObjectProvider<DistributedLockProperties> properties) {
			return new BuilderPostProcessor(RestClient.Builder.class, properties, (bean,
					outgoing) -> ((RestClient.Builder) bean).requestInitializer(new RequestIdInitializer(outgoing)));
		}

		@Bean
		static BuilderPostProcessor requestIdRestTemplateBuilderPostProcessor(
				ObjectProvider<DistributedLockProperties> properties) {
			return new BuilderPostProcessor(RestTemplateBuilder.class, properties,
					(bean, outgoing) -> ((RestTemplateBuilder) bean)
						.additionalCustomizers((template) -> template.getClientHttpRequestInitializers()
							.add(new RequestIdInitializer(outgoing))));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebClient.class)
	static class WebClientConfiguration {

		@Bean
		static BuilderPostProcessor requestIdWebClientBuilderPostProcessor(
				ObjectProvider<DistributedLockProperties> properties) {
			return new BuilderPostProcessor(WebClient.Builder.class, properties,
					(bean, outgoing) -> ((WebClient.Builder) bean).filter(new RequestIdExchangeFilter(outgoing)));
		}

	}

	/**
	 * Changes the builders of one type.
	 *
	 * @param type the type of the builders
	 * @param properties the hosts that receive the request id
	 * @param change adds the request id to a builder, and returns the builder to use
	 */
	record BuilderPostProcessor(Class<?> type, ObjectProvider<DistributedLockProperties> properties,
			BiFunction<Object, OutgoingRequestId, Object> change) implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!this.type.isInstance(bean)) {
				return bean;
			}
			RequestIdProperties requestId = this.properties.getObject().requestId();
			OutgoingRequestId outgoing = new OutgoingRequestId(requestId.header(), requestId.propagateTo());
			return outgoing.isEnabled() ? this.change.apply(bean, outgoing) : bean;
		}

	}

}
