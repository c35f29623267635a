package io.lockable.matrix;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The id of a request, over a real web server.
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

	@Test
	@With(Part.SERVLET)
	void requestIdFollowsAsynchronousWork() throws Exception {
		try (Instance instance = startWeb("io.lockable.matrix.WebApplication")) {
			assertThat(get(instance.url("/later"), "checkout-7f3a").body()).startsWith("checkout-7f3a:");
		}
	}

	@Test
	@With(Part.SERVLET)
	void requestIdOfAServletRequestGoesToNamedHostsOnly() throws Exception {
		requestIdGoesToNamedHostsOnly("io.lockable.matrix.WebApplication");
	}

	@Test
	@With(value = { Part.WEBFLUX, Part.CONTEXT_PROPAGATION }, without = Part.SERVLET)
	void requestIdOfAReactiveRequestGoesToNamedHostsOnly() throws Exception {
		requestIdGoesToNamedHostsOnly("io.lockable.matrix.ReactiveWebApplication");
	}

	private static void requestIdGoesToNamedHostsOnly(String application) throws Exception {
		try (Instance instance = startWeb(application, "distributed-lock.request-id.propagate-to=localhost")) {
			String named = instance.url("/received");
			assertThat(get(instance.url("/call?url=" + named), "checkout-7f3a").body()).isEqualTo("checkout-7f3a");
			String other = named.replace("localhost", "127.0.0.1");
			assertThat(get(instance.url("/call?url=" + other), "checkout-7f3a").body()).isEqualTo("none");
		}
	}

	private static void requestIdIsEchoedAndOwnsTheLock(String application) throws Exception {
		try (Instance instance = startWeb(application)) {
			HttpResponse<String> sent = get(instance.url("/owner"), "checkout-7f3a");
			assertThat(sent.headers().firstValue("Req-Id")).hasValue("checkout-7f3a");
			assertThat(sent.body()).startsWith("checkout-7f3a:");
			HttpResponse<String> made = get(instance.url("/owner"), "not one of ours");
			assertThat(made.headers().firstValue("Req-Id"))
				.hasValueSatisfying((id) -> assertThat(made.body()).startsWith(id + ":"));
		}
	}

	/**
	 * Starts an application by name, because a signature must not mention an optional web
	 * framework.
	 */
	private static Instance startWeb(String application, String... properties) throws ClassNotFoundException {
		List<String> all = new ArrayList<>(
				List.of("distributed-lock.wait-time=20s", "spring.reactor.context-propagation=auto"));
		all.addAll(List.of(properties));
		return Instance.startWeb(Class.forName(application), all.toArray(String[]::new));
	}

	private static HttpResponse<String> get(String url, String requestId) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(url)).header("Req-Id", requestId).build();
		return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
	}

}
