package io.lockable.sample;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;

/**
 * The Redis server of the shop as a container. The service connection tells the
 * application where it is, and with that the locks.
 */
// tag::container[]
@TestConfiguration(proxyBeanMethods = false)
class SampleContainers {

	private static final String IMAGE = System.getProperty("lockable.test.redis-image", "redis:7.4-alpine");

	private static final int PORT = 6379;

	@Bean
	@ServiceConnection(name = "redis")
	GenericContainer<?> redis() {
		return new GenericContainer<>(DockerImageName.parse(IMAGE)).withExposedPorts(PORT);
	}

}
// end::container[]
