package io.lockable.autoconfigure.actuate;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.json.JsonContent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint on real web servers and over JMX.
 */
@Tag("extended")
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
class LocksEndpointServerTests {

	private static final String FORCE = "--distributed-lock.actuator.force-release.enabled=true";

	// Each takes seconds to start, so tests with the same arguments share it.
	private static final Map<String, ConfigurableApplicationContext> CONTEXTS = new HashMap<>();

	private final WebApplicationType type;

	private final HttpClient client = HttpClient.newHttpClient();

	private final List<Lease> leases = new ArrayList<>();

	private ConfigurableApplicationContext context;

	LocksEndpointServerTests(WebApplicationType type) {
		this.type = type;
	}

	private void start(String... arguments) {
		this.context = CONTEXTS.computeIfAbsent(String.join(" ", arguments), (key) -> run(arguments));
	}

	private ConfigurableApplicationContext run(String... arguments) {
		return new SpringApplicationBuilder(Application.class).web(this.type)
			.properties(Map.of("server.port", "0", "server.shutdown", "immediate",
					"spring.reactor.netty.shutdown-quiet-period", "0s", "distributed-lock.store", "memory",
					"distributed-lock.shutdown-timeout", "0s", "spring.jmx.enabled", "true",
					"spring.jmx.default-domain", domain(arguments), "management.endpoints.web.exposure.include",
					"locks", "management.endpoints.jmx.exposure.include", "locks"))
			.run(arguments);
	}

	private String domain(String... arguments) {
		return "lockable." + this.type + Integer.toHexString(List.of(arguments).hashCode());
	}

	@AfterEach
	void release() {
		this.leases.forEach(Lease::release);
	}

	@AfterParameterizedClassInvocation
	static void close() {
		CONTEXTS.values().forEach(ConfigurableApplicationContext::close);
		CONTEXTS.clear();
	}

	private Lease hold(String key) throws InterruptedException {
		Lease lease = this.context.getBean(DistributedLocks.class).get(key).acquire();
		this.leases.add(lease);
		return lease;
	}

	private HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
		return send(method, path, "application/json");
	}

	private HttpResponse<String> send(String method, String path, String accept)
			throws IOException, InterruptedException {
		URI uri = URI.create("http://localhost:%s/actuator/locks%s"
			.formatted(this.context.getEnvironment().getProperty("local.server.port"), path));
		HttpRequest request = HttpRequest.newBuilder(uri)
			.method(method, HttpRequest.BodyPublishers.noBody())
			.header("Accept", accept)
			.build();
		return this.client.send(request, HttpResponse.BodyHandlers.ofString());
	}

	private static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

	@Test
	void locksAreListed() throws Exception {
		start();
		Lease lease = hold("disLock:42");
		HttpResponse<String> response = send("GET", "");
		assertThat(response.statusCode()).isEqualTo(200);
		JsonContent json = new JsonContent(response.body());
		assertThat(json).extractingPath("$.engines.distributedLocks.held[0].key").isEqualTo("disLock:42");
		assertThat(json).extractingPath("$.engines.distributedLocks.held[0].fencingToken")
			.asNumber()
			.isEqualTo(lease.fencingToken());
		assertThat(json).extractingPath("$.engines.distributedLocks.held[0].since").asString().endsWith("Z");
		assertThat(json).extractingPath("$.engines.distributedLocks.held[0].remainingMillis")
			.isInstanceOf(Integer.class);
		assertThat(json).extractingPath("$.engines.distributedLocks.retained").asArray().isEmpty();
		assertThat(json).extractingPath("$.engines.distributedLocks.waiting").asArray().isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "text/plain, text/plain, disLock:42",
			"'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', text/html, <!DOCTYPE",
			"'application/json, text/plain, */*', application/vnd.spring-boot.actuator.v3+json, disLock:42",
			"*/*, application/vnd.spring-boot.actuator.v3+json, disLock:42",
			"application/json, application/json, disLock:42",
			"application/vnd.spring-boot.actuator.v2+json, application/vnd.spring-boot.actuator.v2+json, disLock:42" })
	void requestChoosesTheRepresentation(String accept, String type, String content) throws Exception {
		start();
		hold("disLock:42");
		HttpResponse<String> response = send("GET", "", accept);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.headers().firstValue("Content-Type").orElseThrow()).startsWith(type);
		assertThat(response.body()).contains(content);
	}

	@Test
	void locksAreFoundByThePath() throws Exception {
		start();
		for (String key : List.of("disLock:42", "disLock:a/b/c", "{tag}:a}b{", "\u00fc\u20ac\ud83d\ude00 x", "a,b,c",
				"50%+1", "what?")) {
			Lease lease = hold(key);
			HttpResponse<String> response = send("GET", "/" + encoded(key).replace("%2F", "/"));
			assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
			JsonContent json = new JsonContent(response.body());
			assertThat(json).extractingPath("$.key").isEqualTo(key);
			assertThat(json).extractingPath("$.engines.distributedLocks.holders[0].owner").isEqualTo(lease.owner());
		}
	}

	@Test
	void locksAreFoundAndReleasedByTheQuery() throws Exception {
		start(FORCE);
		for (String key : List.of("disLock:42", "a//b", "/a/", "a,b,c", "../;x=1&y", "%2F")) {
			Lease lease = hold(key);
			HttpResponse<String> response = send("GET", "/-?key=" + encoded(key));
			assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
			assertThat(new JsonContent(response.body())).extractingPath("$.key").isEqualTo(key);
			assertThat(send("DELETE", "/-?key=" + encoded(key)).statusCode()).isEqualTo(200);
			assertThat(lease.isHeld()).isFalse();
		}
	}

	@Test
	void keyMustBeOne() throws Exception {
		start(FORCE);
		assertThat(send("GET", "/-?key=a&key=b").statusCode()).isEqualTo(400);
		assertThat(send("DELETE", "/-?key=").statusCode()).isEqualTo(400);
	}

	@Test
	void keyOfTheQueryDoesNotTakeThePlaceOfAPath() throws Exception {
		start(FORCE);
		Lease lease = hold("secret");
		for (String query : List.of("?key=secret", "?path=secret", "?path=secret&path=secret")) {
			assertThat(send("GET", "/allowed" + query).statusCode()).as(query).isEqualTo(400);
			assertThat(send("DELETE", "/allowed" + query).statusCode()).as(query).isEqualTo(400);
		}
		assertThat(send("DELETE", "/-/more?key=secret").statusCode()).isEqualTo(400);
		assertThat(lease.isHeld()).isTrue();
		assertThat(send("GET", "/secret?other=1").statusCode()).isEqualTo(200);
	}

	@Test
	void forcedReleaseReleases() throws Exception {
		start(FORCE);
		Lease lease = hold("disLock:a/b");
		HttpResponse<String> response = send("DELETE", "/disLock:a/b");
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		JsonContent json = new JsonContent(response.body());
		assertThat(json).extractingPath("$.engines.distributedLocks.released").asArray().containsExactly(lease.owner());
		assertThat(json).extractingPath("$.engines.distributedLocks.gone").asArray().isEmpty();
		assertThat(lease.isHeld()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", FORCE + " --management.endpoint.locks.access=read-only" })
	void forcedReleaseIsNotThereUnlessItIsWantedAndAllowed(String arguments) throws Exception {
		start(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1));
		Lease lease = hold("disLock:42");
		assertThat(send("DELETE", "/disLock:42").statusCode()).isEqualTo(405);
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void locksAreShownAndReleasedOverJmx() throws Exception {
		start(FORCE);
		Lease lease = hold("a//b,c");
		assertThat(operations()).containsExactlyInAnyOrder("locks", "lock", "forceRelease");
		assertThat(String.valueOf(invoke("locks"))).contains("a//b,c").doesNotContain(lease.owner());
		assertThat(String.valueOf(invoke("lock", "a//b,c"))).contains(lease.owner()).contains("remainingMillis");
		assertThat(String.valueOf(invoke("forceRelease", "a//b,c"))).contains(lease.owner());
		assertThat(lease.isHeld()).isFalse();
	}

	private Object invoke(String operation, String... key) throws Exception {
		return server().invoke(endpoint(), operation, key,
				(key.length > 0) ? new String[] { String.class.getName() } : new String[0]);
	}

	private List<String> operations() throws Exception {
		return List.of(server().getMBeanInfo(endpoint()).getOperations())
			.stream()
			.map(MBeanOperationInfo::getName)
			.toList();
	}

	private ObjectName endpoint() throws Exception {
		String domain = this.context.getEnvironment().getRequiredProperty("spring.jmx.default-domain");
		return server().queryNames(new ObjectName(domain + ":type=Endpoint,name=Locks,*"), null).iterator().next();
	}

	private static MBeanServer server() {
		return ManagementFactory.getPlatformMBeanServer();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
