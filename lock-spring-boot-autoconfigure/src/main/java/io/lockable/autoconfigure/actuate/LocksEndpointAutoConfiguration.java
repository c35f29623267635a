package io.lockable.autoconfigure.actuate;

import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.engine.LockEngine;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} for the endpoint {@code locks}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
@ConditionalOnBean(LockEngine.class)
@ImportRuntimeHints(LocksEndpointAutoConfiguration.Hints.class)
public final class LocksEndpointAutoConfiguration {

	private static final String FORCE_RELEASE = "distributed-lock.actuator.force-release.enabled";

	// The engines include those that are no candidates for injection. The property is
	// bound here, because an application with an engine of its own may have disabled the
	// others
	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint locksEndpoint(ListableBeanFactory beanFactory, Environment environment) {
		return new LocksEndpoint(BeanFactoryUtils.beansOfTypeIncludingAncestors(beanFactory, LockEngine.class),
				Binder.get(environment).bind(FORCE_RELEASE, Boolean.class).orElse(false));
	}

	@Bean
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension locksEndpointWebExtension(LocksEndpoint endpoint) {
		return new LocksEndpointWebExtension(endpoint);
	}

	@Bean
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
	LocksEndpointJmxExtension locksEndpointJmxExtension(LocksEndpoint endpoint) {
		return new LocksEndpointJmxExtension(endpoint);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterBinder.class)
	static class MeterConfiguration {

		@Bean
		MeterBinder forcedReleaseMeters(ObjectProvider<LocksEndpoint> endpoints) {
			return (registry) -> endpoints.stream()
				.filter(LocksEndpoint::forcesReleases)
				.forEach((endpoint) -> FunctionCounter
					.builder("lock.forced.releases", endpoint, LocksEndpoint::forcedReleases)
					.description("Holders whose lock was released by force")
					.register(registry));
		}

	}

	/**
	 * The hints of a native image that Spring Boot does not find: the endpoint returns an
	 * object of any type.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), LocksDescriptor.class);
			hints.resources().registerPattern("io/lockable/autoconfigure/actuate/locks.html");
		}

	}

}
