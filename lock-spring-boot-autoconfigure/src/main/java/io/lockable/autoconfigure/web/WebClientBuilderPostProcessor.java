package io.lockable.autoconfigure.web;

import java.util.function.Supplier;

import io.lockable.spring.request.OutgoingRequestId;
import io.lockable.spring.request.RequestIdExchangeFilter;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Does on Spring Boot 3 what a customizer does from Spring Boot 4 on.
 */
final class WebClientBuilderPostProcessor implements BeanPostProcessor {

	private final Supplier<OutgoingRequestId> outgoing;

	WebClientBuilderPostProcessor(Supplier<OutgoingRequestId> outgoing) {
		this.outgoing = SingletonSupplier.of(outgoing);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof WebClient.Builder builder && this.outgoing.get().isEnabled()) {
			builder.filter(new RequestIdExchangeFilter(this.outgoing.get()));
		}
		return bean;
	}

}
