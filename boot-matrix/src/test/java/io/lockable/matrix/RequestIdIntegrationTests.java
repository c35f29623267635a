package io.lockable.matrix;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The request id of a servlet request, over a real web server.
 */
@With({ Part.REDIS, Part.SERVLET })
class RequestIdIntegrationTests {

	@Test
	void requestIdIsEchoedAndOwnsTheLock() throws Exception {
		try (Instance instance = Instance.startWeb(WebApplication.class)) {
			HttpResponse<String> sent = get(instance.url("/owner"), "checkout-7f3a");
			assertThat(sent.headers().firstValue("Req-Id")).hasValue("checkout-7f3a");
			assertThat(sent.body()).startsWith("checkout-7f3a:");
			HttpResponse<String> made = get(instance.url("/owner"), "not one of ours");
			assertThat(made.headers().firstValue("Req-Id"))
				.hasValueSatisfying((id) -> assertThat(made.body()).startsWith(id + ":"));
		}
	}

	private static HttpResponse<String> get(String url, String requestId) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(url)).header("Req-Id", requestId).build();
		return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
	}

}
