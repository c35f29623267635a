package io.lockable.autoconfigure.observability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
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

	/**
	 * The labels that Prometheus adds when it scrapes.
	 */
	private static final Set<String> OF_PROMETHEUS = Set.of("instance", "job");

	private static final Pattern SAMPLE = Pattern.compile("^(\\w+)(?:\\{(.*)})? \\S+$", Pattern.MULTILINE);

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

	private static final Pattern METRIC = Pattern.compile("\\b(lock_\\w+)\\b(\\{([^}]*)})?");

	private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|=)\"([^\"]*)\"");

	private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");

	private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

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
	void everyQueryIsAboutWhatAnApplicationRegisters() {
		this.contextRunner.run((context) -> {
			exercise(context.getBean(DistributedLocks.class));
			Map<String, Map<String, Set<String>>> registered = scrape(
					context.getBean(PrometheusMeterRegistry.class).scrape());
			List<String> expressions = this.dashboard.read("$.panels[*].targets[*].expr");
			assertThat(expressions).hasSizeGreaterThan(15).allSatisfy((expression) -> check(expression, registered));
			List<String> variables = this.dashboard.read("$.templating.list[?(@.type == 'query')].query.query");
			assertThat(variables).hasSize(2);
			for (String variable : variables) {
				Matcher matcher = Pattern.compile("label_values\\((\\w+)(?:\\{.*})?, (\\w+)\\)").matcher(variable);
				assertThat(matcher.matches()).as(variable).isTrue();
				assertThat(registered.get(matcher.group(1))).as(variable).containsKey(matcher.group(2));
			}
		});
	}

	@Test
	void everyMeterIsShown() {
		this.contextRunner.run((context) -> {
			exercise(context.getBean(DistributedLocks.class));
			String expressions = this.dashboard.read("$.panels[*].targets[*].expr").toString();
			context.getBean(PrometheusMeterRegistry.class)
				.getMeters()
				.stream()
				.map((meter) -> meter.getId().getName())
				.filter((name) -> name.startsWith("lock.") && !name.endsWith(".active"))
				.forEach((name) -> assertThat(expressions).contains(name.replace('.', '_')));
		});
	}

	@Test
	void fileIsADashboardToImport() {
		assertThat(this.dashboard.<String>read("$.title")).isNotBlank();
		assertThat(this.dashboard.<String>read("$.uid")).isNotBlank();
		assertThat(this.dashboard.<Integer>read("$.schemaVersion")).isPositive();
		assertThat(this.dashboard.<Object>read("$.id")).isNull();
		List<Integer> ids = this.dashboard.read("$.panels[*].id");
		assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThan(15);
		List<Map<String, Object>> panels = this.dashboard.read("$.panels[*]");
		assertThat(panels).allSatisfy((panel) -> assertThat(panel).containsKeys("type", "title", "gridPos"));
		List<String> sources = this.dashboard.read("$..datasource.uid");
		assertThat(sources).isNotEmpty().containsOnly("${datasource}");
		assertThat(this.dashboard.<List<String>>read("$.templating.list[*].name")).containsExactly("datasource",
				"engine", "lock");
		assertPanelsDoNotOverlap();
	}

	private void assertPanelsDoNotOverlap() {
		List<Map<String, Integer>> places = this.dashboard.read("$.panels[*].gridPos");
		Set<String> taken = new TreeSet<>();
		for (Map<String, Integer> place : places) {
			assertThat(place.get("x") + place.get("w")).isLessThanOrEqualTo(24);
			for (int x = 0; x < place.get("w"); x++) {
				for (int y = 0; y < place.get("h"); y++) {
					assertThat(taken.add((place.get("x") + x) + ":" + (place.get("y") + y))).isTrue();
				}
			}
		}
	}

	private static void check(String expression, Map<String, Map<String, Set<String>>> registered) {
		List<Map<String, Set<String>>> asked = new ArrayList<>();
		Matcher metric = METRIC.matcher(expression.replaceAll("by \\([^)]*\\)", ""));
		while (metric.find()) {
			if (metric.group(2) == null) {
				// A label name: valid only within the braces of a metric's selector.
				throw new AssertionError(metric.group(1) + " has no selector in " + expression);
			}
			Map<String, Set<String>> labels = registered.get(metric.group(1));
			assertThat(labels).as("%s in %s", metric.group(1), expression).isNotNull();
			asked.add(labels);
			Matcher matcher = MATCHER.matcher(metric.group(3));
			while (matcher.find()) {
				assertThat(labels).as(expression).containsKey(matcher.group(1));
				if (!matcher.group(3).startsWith("$")) {
					assertThat(labels.get(matcher.group(1))).as(expression).contains(matcher.group(3).split("\\|", -1));
				}
			}
		}
		assertThat(asked).as(expression).isNotEmpty();
		Matcher grouping = GROUPING.matcher(expression);
		while (grouping.find()) {
			for (String label : grouping.group(1).split(", ", -1)) {
				assertThat(asked).as("%s in %s", label, expression)
					.allMatch((labels) -> labels.containsKey(label) || OF_PROMETHEUS.contains(label));
			}
		}
	}

	@Test
	void legendsNameLabelsThatTheirQueriesKeep() {
		List<Map<String, String>> targets = this.dashboard.read("$.panels[*].targets[*]");
		assertThat(targets).allSatisfy((target) -> {
			Matcher legend = LEGEND.matcher(target.get("legendFormat"));
			while (legend.find()) {
				assertThat(target.get("expr")).containsPattern("by \\([^)]*\\b" + legend.group(1) + "\\b[^)]*\\)");
			}
		});
	}

	private static Map<String, Map<String, Set<String>>> scrape(String text) {
		Map<String, Map<String, Set<String>>> registered = new TreeMap<>();
		Matcher sample = SAMPLE.matcher(text);
		while (sample.find()) {
			Map<String, Set<String>> labels = registered.computeIfAbsent(sample.group(1), (name) -> new TreeMap<>());
			Matcher label = LABEL.matcher(Objects.requireNonNullElse(sample.group(2), ""));
			while (label.find()) {
				labels.computeIfAbsent(label.group(1), (name) -> new TreeSet<>()).add(label.group(2));
			}
		}
		return registered;
	}

	private static void exercise(DistributedLocks locks) throws Exception {
		LockOptions options = LockOptions.defaults().withName("orders");
		try (Lease lease = locks.get("k", options).acquire()) {
			assertThat(locks.get("k", options).tryAcquire()).isEmpty();
			assertThat(lease.isHeld()).isTrue();
		}
	}

}
