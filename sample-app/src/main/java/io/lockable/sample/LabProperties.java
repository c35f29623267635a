package io.lockable.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the lab.
 *
 * @param startRedis whether the lab starts a Redis server if none is configured
 * @param instances the number of instances at startup, from 0 to 4
 * @param outage the time until a paused or disconnected instance recovers
 */
@ConfigurationProperties("lab")
record LabProperties(@DefaultValue("true") boolean startRedis, @DefaultValue("3") int instances,
		@DefaultValue("4s") Duration outage) {

	LabProperties {
		if (instances < 0 || instances > Lab.MAX_INSTANCES) {
			throw new IllegalArgumentException(
					"'lab.instances' must be from 0 to %d, was %d".formatted(Lab.MAX_INSTANCES, instances));
		}
	}

}
