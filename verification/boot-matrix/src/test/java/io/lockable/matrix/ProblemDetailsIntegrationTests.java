package io.lockable.matrix;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

import io.lockable.Lease;
import io.lockable.LockOptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The responses to exceptions of locks, over a real web server.
 */
@With({ Part.REDIS, Part.SERVLET })
class ProblemDetailsIntegrationTests {

	@Test
	void contentionIsAConflict() throws Exception {
		try (Instance instance = Instance.startWeb(Class.forName("io.lockable.matrix.WebApplication"),
				"distributed-lock.web.problem-details=true");
				Lease lease = instance.locks()
					.get("counter", LockOptions.defaults().withWaitTime(Duration.ofSeconds(20)))
					.acquire()) {
			HttpResponse<String> response = HttpClient.newHttpClient()
				.send(HttpRequest.newBuilder(URI.create(instance.url("/owner"))).build(),
						HttpResponse.BodyHandlers.ofString());
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
			assertThat(response.body()).contains("Another call holds the lock").doesNotContain(lease.key());
		}
	}

}
