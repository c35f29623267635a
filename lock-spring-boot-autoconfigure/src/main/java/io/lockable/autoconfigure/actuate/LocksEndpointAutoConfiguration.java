package io.lockable.autoconfigure.actuate;

import java.util.Map;

import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.actuate.LocksEndpointJmxExtension.LocksForceReleaseJmxExtension;
import io.lockable.autoconfigure.actuate.LocksEndpointWebExtension.LocksForceReleaseWebExtension;
import io.lockable.autoconfigure.properties.ConditionalOnLockFlag;
import io.lockable.engine.LockEngine;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@link AutoConfiguration Auto-configuration} for the endpoint {@code locks}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(LockEngine.class)
public final class LocksEndpointAutoConfiguration {

	private static final String FORCE_RELEASE = "actuator.force-release.enabled";

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	LocksEndpoint locksEndpoint(Map<String, LockEngine> engines) {
		return new LocksEndpoint(engines);
	}

	@Bean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	@ConditionalOnLockFlag(value = FORCE_RELEASE, havingValue = false, defaultValue = false)
	LocksEndpointWebExtension locksEndpointWebExtension(LocksEndpoint endpoint) {
		return new LocksEndpointWebExtension(endpoint);
	}

	@Bean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
	@ConditionalOnLockFlag(value = FORCE_RELEASE, havingValue = false, defaultValue = false)
	LocksEndpointJmxExtension locksEndpointJmxExtension(LocksEndpoint endpoint) {
		return new LocksEndpointJmxExtension(endpoint);
	}

	@Bean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	@ConditionalOnLockFlag(value = FORCE_RELEASE, defaultValue = false)
	LocksForceReleaseWebExtension locksForceReleaseWebExtension(LocksEndpoint endpoint, ForcedReleases releases) {
		return new LocksForceReleaseWebExtension(endpoint, releases);
	}

	@Bean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
	@ConditionalOnLockFlag(value = FORCE_RELEASE, defaultValue = false)
	LocksForceReleaseJmxExtension locksForceReleaseJmxExtension(LocksEndpoint endpoint, ForcedReleases releases) {
		return new LocksForceReleaseJmxExtension(endpoint, releases);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockFlag(value = FORCE_RELEASE, defaultValue = false)
	static class ForcedReleaseConfiguration {

		@Bean
		ForcedReleases forcedReleases() {
			return new ForcedReleases();
		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(MeterBinder.class)
		static class MeterConfiguration {

			@Bean
			MeterBinder forcedReleaseMeters(ForcedReleases releases) {
				return (registry) -> FunctionCounter.builder("lock.forced.releases", releases, ForcedReleases::count)
					.description("Holders whose lock was released by force")
					.register(registry);
			}

		}

	}

}
