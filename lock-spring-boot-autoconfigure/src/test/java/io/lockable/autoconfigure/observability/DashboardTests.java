package io.lockable.autoconfigure.observability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.actuate.LocksEndpointAutoConfiguration;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the dashboard with the metrics that an application exports to Prometheus.
 */
class DashboardTests {

	private static final Path FILE = Path.of("").toAbsolutePath().getParent().resolve("docs/grafana/lockable.json");

	private static final Pattern METRIC = Pattern.compile("\\b(lock_\\w+?)(?:_bucket|_count|_sum)?\\{");

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.actuator.force-release.enabled=true",
				"management.metrics.distribution.percentiles-histogram.lock.acquire=true",
				"management.metrics.distribution.percentiles-histogram.lock.hold=true")
		.withConfiguration(
				AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
						PrometheusMetricsExportAutoConfiguration.class, ObservationAutoConfiguration.class,
						DistributedLockAutoConfiguration.class, LockMetricsAutoConfiguration.class,
						LockObservationAutoConfiguration.class, LocksEndpointAutoConfiguration.class));

	private final DocumentContext dashboard;

	DashboardTests() throws IOException {
		this.dashboard = JsonPath.parse(Files.readString(FILE));
	}

	@Test
	void dashboardShowsTheMetersThatAnApplicationRegisters() {
		this.contextRunner.run((context) -> {
			exercise(context.getBean(DistributedLocks.class));
			PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
			String exported = registry.scrape();
			String expressions = this.dashboard.read("$.panels[*].targets[*].expr").toString();
			assertThat(METRIC.matcher(expressions).results()).hasSizeGreaterThan(15)
				.allSatisfy((metric) -> assertThat(exported).contains(metric.group(1)));
			registry.getMeters()
				.stream()
				.map((meter) -> meter.getId().getName())
				.filter((name) -> name.startsWith("lock.") && !name.endsWith(".active"))
				.forEach((name) -> assertThat(expressions).contains(name.replace('.', '_')));
		});
	}

	private static void exercise(DistributedLocks locks) throws Exception {
		LockOptions options = LockOptions.defaults().withName("orders");
		try (Lease lease = locks.get("k", options).acquire()) {
			assertThat(locks.get("k", options).tryAcquire()).isEmpty();
			assertThat(lease.isHeld()).isTrue();
		}
	}

}
