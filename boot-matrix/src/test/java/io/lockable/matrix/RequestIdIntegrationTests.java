package io.lockable.matrix;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The request id of a request, over a real web server.
 */
@With(Part.REDIS)
class RequestIdIntegrationTests {

	@Test
	@With(Part.SERVLET)
	void requestIdOfAServletRequestIsEchoedAndOwnsTheLock() throws Exception {
		requestIdIsEchoedAndOwnsTheLock("io.lockable.matrix.WebApplication");
	}

	@Test
	@With(value = { Part.WEBFLUX, Part.CONTEXT_PROPAGATION }, without = Part.SERVLET)
	void requestIdOfAReactiveRequestIsEchoedAndOwnsTheLock() throws Exception {
		requestIdIsEchoedAndOwnsTheLock("io.lockable.matrix.ReactiveWebApplication");
	}

	/**
	 * Answers and locks as the application says, which cannot be named in a signature
	 * where its web framework may be missing.
	 */
	private static void requestIdIsEchoedAndOwnsTheLock(String application) throws Exception {
		try (Instance instance = Instance.startWeb(Class.forName(application), "distributed-lock.wait-time=20s",
				"spring.reactor.context-propagation=auto")) {
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
