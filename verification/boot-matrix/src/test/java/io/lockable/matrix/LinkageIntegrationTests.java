package io.lockable.matrix;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.postgresql.PostgresLockStore;
import io.lockable.redis.RedisLockStore;
import io.lockable.spring.request.RequestId;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that this Spring Boot satisfies all references of the jars, including code that
 * no test of this module executes.
 */
@With({ Part.REDIS, Part.LETTUCE, Part.JEDIS, Part.POSTGRESQL, Part.ASPECTJ, Part.REACTOR, Part.SERVLET, Part.WEBFLUX,
		Part.ACTUATOR, Part.MICROMETER, Part.CONTEXT_PROPAGATION, Part.INTEGRATION, Part.SHEDLOCK })
class LinkageIntegrationTests {

	/**
	 * Optional libraries that these applications lack.
	 */
	private static final String[] OPTIONAL = { "com.github.dockerjava.", "kotlin.", "kotlinx.",
			"org.springframework.retry.", "org.testcontainers." };

	/**
	 * Classes that are loaded only with their optional references, with the Spring Boot
	 * versions that have these.
	 */
	private static final Map<String, Set<String>> OF_SOME_VERSIONS = Map.of(
			"io.lockable.redis.client.JedisReplicaConnections$UnifiedClients", Set.of("4.1"),
			"io.lockable.redis.client.JedisSubscriptionTrial$UnifiedClients", Set.of("4.1"),
			"io.lockable.autoconfigure.actuate.LockHealthAutoConfiguration", Set.of("4.0", "4.1"),
			"io.lockable.autoconfigure.integration.DistributedLockRegistry", Set.of("4.0", "4.1"),
			"io.lockable.autoconfigure.integration.DistributedLockRegistry$TimedRegistryLock", Set.of("4.0", "4.1"),
			"io.lockable.autoconfigure.web.RequestIdClientAutoConfiguration$RestClientConfiguration",
			Set.of("4.0", "4.1"),
			"io.lockable.autoconfigure.web.RequestIdClientAutoConfiguration$WebClientConfiguration",
			Set.of("4.0", "4.1"));

	private final Linkage linkage = Linkage.of(DistributedLocks.class, RedisLockStore.class, PostgresLockStore.class,
			RequestId.class, DistributedLockAutoConfiguration.class, RedisServers.class);

	@Test
	void allThatIsReferredToIsThere() {
		assertThat(this.linkage.checked()).isGreaterThan(10_000);
		assertThat(this.linkage.missing()).filteredOn(LinkageIntegrationTests::isNeeded).isEmpty();
	}

	@Test
	void allThatMustBeImplementedIs() {
		assertThat(this.linkage.unimplemented()).isEmpty();
	}

	@Test
	void classesOfSomeVersionsAreThere() {
		assertThat(OF_SOME_VERSIONS.keySet()).allSatisfy((name) -> assertThat(this.linkage.classes()).contains(name));
	}

	private static boolean isNeeded(Linkage.Missing missing) {
		boolean optional = Stream.of(OPTIONAL).anyMatch(missing.what()::startsWith);
		String boot = System.getProperty("lockable.matrix.boot");
		boolean ofOtherVersions = OF_SOME_VERSIONS.entrySet()
			.stream()
			.filter((entry) -> missing.referrers().stream().anyMatch(entry.getKey()::equals))
			.anyMatch((entry) -> entry.getValue().stream().noneMatch((version) -> boot.startsWith(version + ".")));
		return !optional && !ofOtherVersions;
	}

}
