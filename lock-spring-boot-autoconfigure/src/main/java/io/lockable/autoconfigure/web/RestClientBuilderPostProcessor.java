package io.lockable.autoconfigure.web;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.lockable.spring.request.OutgoingRequestId;
import io.lockable.spring.request.RequestIdInitializer;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/**
 * Does on Spring Boot 3 what customizers do from Spring Boot 4 on. There the customizer
 * and the builder of {@code RestTemplate} have other names, under which nothing here can
 * be compiled, so they are called by reflection.
 */
final class RestClientBuilderPostProcessor implements BeanPostProcessor {

	static final String BUILDER = "org.springframework.boot.web.client.RestTemplateBuilder";

	static final String CUSTOMIZER = "org.springframework.boot.web.client.RestTemplateCustomizer";

	private final Supplier<OutgoingRequestId> outgoing;

	RestClientBuilderPostProcessor(Supplier<OutgoingRequestId> outgoing) {
		this.outgoing = SingletonSupplier.of(outgoing);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof RestClient.Builder builder && wanted()) {
			builder.requestInitializer(new RequestIdInitializer(this.outgoing.get()));
		}
		else if (bean.getClass().getName().equals(BUILDER) && wanted()) {
			return customized(bean);
		}
		return bean;
	}

	private boolean wanted() {
		return this.outgoing.get().isEnabled();
	}

	private Object customized(Object builder) {
		Class<?> type = ClassUtils.resolveClassName(CUSTOMIZER, builder.getClass().getClassLoader());
		ProxyFactory customizer = new ProxyFactory(type, (MethodInterceptor) (invocation) -> {
			RestTemplate template = (RestTemplate) Objects.requireNonNull(invocation.getArguments()[0]);
			template.getClientHttpRequestInitializers().add(new RequestIdInitializer(this.outgoing.get()));
			return null;
		});
		Method add = ReflectionUtils.findMethod(builder.getClass(), "additionalCustomizers", Collection.class);
		return Objects.requireNonNull(ReflectionUtils.invokeMethod(Objects.requireNonNull(add), builder,
				List.of(customizer.getProxy(type.getClassLoader()))));
	}

}
