package io.lockable.autoconfigure.web;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.LockEngineBuilderCustomizer;
import io.lockable.spring.request.RequestId;
import io.lockable.spring.request.RequestIdThreadLocalAccessor;
import io.lockable.spring.request.RequestIdWebFilter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestIdWebFilter}, on a real server.
 */
@Tag("extended")
class ReactiveRequestIdTests {

	// Each takes seconds to start, so tests with the same properties share it. All close
	// together, because the first close ends the shared threads of Netty.
	private static final Map<String, ConfigurableApplicationContext> CONTEXTS = new HashMap<>();

	private final HttpClient client = HttpClient.newHttpClient();

	private ConfigurableApplicationContext context;

	@AfterEach
	void forget() {
		Hooks.disableAutomaticContextPropagation();
	}

	@AfterAll
	static void close() {
		CONTEXTS.values().forEach(ConfigurableApplicationContext::close);
		CONTEXTS.clear();
	}

	@Test
	void validHeaderIsTakenAndEchoed() throws Exception {
		start();
		HttpResponse<String> response = get("/context", "client-1");
		assertThat(response.body()).isEqualTo("client-1");
		assertThat(response.headers().allValues("Req-Id")).containsExactly("client-1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a b", "a:b", "<script>",
			"01234567890123456789012345678901234567890123456789012345678901234" })
	void missingOrInvalidHeaderIsReplaced(String sent) throws Exception {
		start();
		HttpResponse<String> response = get("/context", sent.isEmpty() ? null : sent);
		assertThat(RequestId.isValid(response.body())).isTrue();
		assertThat(response.body()).isNotEqualTo(sent);
		assertThat(response.headers().allValues("Req-Id")).containsExactly(response.body());
	}

	@Test
	void lockOfARequestStartsWithItsIdWhateverTheThreadsKnow() throws Exception {
		start("spring.reactor.context-propagation=limited");
		assertThat(get("/locked", "client-1").body()).isEqualTo("client-1, client-1");
	}

	@Test
	void automaticPropagationCarriesTheIdToTheThreadsAndTheirMdc() throws Exception {
		start("spring.reactor.context-propagation=auto", "spring.application.name=threads");
		assertThat(get("/threads", "client-1").body()).isEqualTo("client-1 client-1, client-1 client-1");
	}

	@Test
	void nothingIsLeftInTheThreadsOfTheServer() throws Exception {
		// A separate context from the test above: its start enables propagation.
		start("spring.reactor.context-propagation=auto", "spring.application.name=server");
		List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			HttpRequest request = request((i % 2 == 0) ? "/threads" : "/failed", "client-" + i);
			responses.add(this.client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
		}
		for (int i = 0; i < responses.size(); i++) {
			HttpResponse<String> response = responses.get(i).get();
			assertThat(response.headers().firstValue("Req-Id")).hasValue("client-" + i);
			if (i % 2 == 0) {
				assertThat(response.body()).isEqualTo("client-%1$d client-%1$d, client-%1$d client-%1$d".formatted(i));
			}
		}
		assertThat(this.context.getBean(Probe.class).found).hasSize(100).containsOnly("null null");
	}

	@Test
	void callOfAnotherServiceCarriesTheId() throws Exception {
		start("distributed-lock.request-id.propagate-to=localhost");
		assertThat(get("/calls", "client-1").body()).isEqualTo("client-1");
	}

	@Test
	void callOfAnotherServiceCarriesNoIdUnlessItsHostIsNamed() throws Exception {
		start();
		assertThat(get("/calls", "client-1").body()).isNotEqualTo("client-1");
	}

	private void start(String... properties) {
		this.context = CONTEXTS.computeIfAbsent(String.join(" ", properties),
				(key) -> new SpringApplicationBuilder(Application.class).web(WebApplicationType.REACTIVE)
					.properties("server.port=0", "server.shutdown=immediate", "distributed-lock.store=memory",
							"spring.main.banner-mode=off", "spring.reactor.netty.shutdown-quiet-period=0s")
					.properties(properties)
					.run());
	}

	private HttpResponse<String> get(String path, String id) throws Exception {
		return this.client.send(request(path, id), HttpResponse.BodyHandlers.ofString());
	}

	private HttpRequest request(String path, String id) {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://localhost:" + port(this.context) + path));
		return ((id != null) ? request.header("Req-Id", id) : request).build();
	}

	private static String port(ConfigurableApplicationContext context) {
		return context.getEnvironment().getProperty("local.server.port");
	}

	private static String known() {
		return RequestId.current() + " " + MDC.get("reqId");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Controller.class, Work.class, Probe.class })
	static class Application {

		@Bean
		LockEngineBuilderCustomizer owners(Probe probe) {
			return (builder) -> builder.requestId(() -> {
				probe.asked.add(String.valueOf(RequestId.current()));
				return RequestId.current();
			});
		}

		@Bean
		@Order(Ordered.HIGHEST_PRECEDENCE)
		WebFilter first(Probe probe) {
			return (exchange, chain) -> {
				probe.found.add(known());
				return chain.filter(exchange);
			};
		}

	}

	/**
	 * Records the request id on the server's threads before a request has one, and the
	 * ids in owner tokens.
	 */
	static class Probe {

		private final Queue<String> found = new ConcurrentLinkedQueue<>();

		private final Queue<String> asked = new ConcurrentLinkedQueue<>();

	}

	@RestController
	static class Controller {

		private final Work work;

		private final ObjectProvider<WebClient.Builder> clients;

		private final ConfigurableApplicationContext context;

		Controller(Work work, ObjectProvider<WebClient.Builder> clients, ConfigurableApplicationContext context) {
			this.work = work;
			this.clients = clients;
			this.context = context;
		}

		@GetMapping("/context")
		Mono<String> context() {
			return Mono
				.deferContextual((each) -> Mono.just(each.getOrDefault(RequestIdThreadLocalAccessor.KEY, "none")));
		}

		@GetMapping("/threads")
		Mono<String> threads() {
			return Mono.fromCallable(ReactiveRequestIdTests::known)
				.publishOn(Schedulers.parallel())
				.map((first) -> first + ", " + known());
		}

		@GetMapping("/locked")
		Mono<String> locked() {
			return this.work.owners(List.of("a", "b"));
		}

		@GetMapping("/calls")
		Mono<String> calls() {
			return this.clients.getObject()
				.build()
				.get()
				.uri("http://localhost:" + port(this.context) + "/context")
				.retrieve()
				.bodyToMono(String.class);
		}

	}

	static class Work {

		private final Probe probe;

		Work(Probe probe) {
			this.probe = probe;
		}

		@DistributedLockable(key = "#keys")
		Mono<String> owners(List<String> keys) {
			return Mono.fromCallable(() -> String.join(", ", this.probe.asked));
		}

	}

}
