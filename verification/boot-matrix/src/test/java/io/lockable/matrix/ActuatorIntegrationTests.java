package io.lockable.matrix;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.lockable.Lease;
import io.lockable.LockOptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The actuator endpoints of locks, over a real web server.
 */
@With({ Part.REDIS, Part.SERVLET, Part.ACTUATOR, Part.MICROMETER })
class ActuatorIntegrationTests {

	@Test
	void healthMetersAndEndpointKnowTheLocks() throws Exception {
		try (Instance instance = Instance.startWeb(Class.forName("io.lockable.matrix.WebApplication"),
				"management.endpoints.web.exposure.include=health,locks,metrics",
				"management.endpoint.health.show-components=always");
				Lease lease = instance.locks()
					.get("actuator:" + Instance.class.hashCode(), LockOptions.defaults().withName("seen"))
					.acquire()) {
			assertThat(get(instance.url("/actuator/locks"))).contains("\"" + lease.key() + "\"", "\"seen\"");
			assertThat(get(instance.url("/actuator/locks/" + lease.key()))).contains(lease.owner());
			assertThat(get(instance.url("/actuator/health/distributedLocks"))).contains("\"UP\"");
			assertThat(get(instance.url("/actuator/metrics/lock.held"))).contains("\"value\":1");
			assertThat(get(instance.url("/actuator/metrics/lock.acquisitions?tag=lock.name:seen")))
				.contains("\"acquired\"");
			assertThat(get(instance.url("/actuator/metrics/lock.acquire?tag=lock.name:seen"))).contains("\"COUNT\"");
		}
	}

	static String get(String url) throws IOException, InterruptedException {
		HttpResponse<String> answer = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
		assertThat(answer.statusCode()).as(url).isEqualTo(200);
		return answer.body();
	}

}
