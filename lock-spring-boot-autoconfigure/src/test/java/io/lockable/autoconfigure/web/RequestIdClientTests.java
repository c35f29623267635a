package io.lockable.autoconfigure.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpServer;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.spring.request.RequestId;
import io.lockable.spring.request.RequestIdThreadLocalAccessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestIdClientAutoConfiguration}, with a server that answers the
 * request id that it received.
 */
class RequestIdClientTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				RequestIdClientAutoConfiguration.class, RestClientAutoConfiguration.class,
				RestTemplateAutoConfiguration.class, WebClientAutoConfiguration.class));

	private HttpServer server;

	@BeforeEach
	void start() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", (exchange) -> {
			byte[] answer = String.valueOf(exchange.getRequestHeaders().get("Req-Id")).getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, answer.length);
			exchange.getResponseBody().write(answer);
			exchange.close();
		});
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
	}

	@Test
	void callsToANamedHostCarryTheId() {
		this.contextRunner.withPropertyValues("distributed-lock.request-id.propagate-to=localhost").run((context) -> {
			assertThat(within("request-1", rest(context.getBean(RestClient.Builder.class)))).isEqualTo("[request-1]");
			assertThat(within("request-2", template(context.getBean(RestTemplateBuilder.class).build())))
				.isEqualTo("[request-2]");
			assertThat(within("request-3", () -> web(context.getBean(WebClient.Builder.class)).block()))
				.isEqualTo("[request-3]");
		});
	}

	@Test
	void callsToOtherHostsCarryNone() {
		for (String property : new String[] { "distributed-lock.request-id.propagate-to=stock,*.example.com",
				"distributed-lock.request-id.propagate-to=" }) {
			this.contextRunner.withPropertyValues(property).run((context) -> {
				assertThat(within("request-1", rest(context.getBean(RestClient.Builder.class)))).isEqualTo("null");
				assertThat(within("request-1", template(context.getBean(RestTemplateBuilder.class).build())))
					.isEqualTo("null");
				assertThat(within("request-1", () -> web(context.getBean(WebClient.Builder.class)).block()))
					.isEqualTo("null");
			});
		}
	}

	@Test
	void reactiveCallCarriesTheIdOfItsContext() {
		this.contextRunner.withPropertyValues("distributed-lock.request-id.propagate-to=localhost").run((context) -> {
			Mono<String> call = web(context.getBean(WebClient.Builder.class))
				.contextWrite((each) -> each.put(RequestIdThreadLocalAccessor.KEY, "of-context"));
			assertThat(within("of-thread", call::block)).isEqualTo("[of-context]");
		});
	}

	@Test
	void bodiesAreNotBuffered() {
		this.contextRunner.withPropertyValues("distributed-lock.request-id.propagate-to=*")
			.run((context) -> assertThat(context.getBean(RestTemplateBuilder.class).build().getInterceptors())
				.isEmpty());
	}

	@Test
	void headerIsThatOfTheProperty() {
		this.contextRunner
			.withPropertyValues("distributed-lock.request-id.propagate-to=*",
					"distributed-lock.request-id.header=Other")
			.run((context) -> assertThat(within("request-1", rest(context.getBean(RestClient.Builder.class))))
				.isEqualTo("null"));
	}

	@Test
	void classPathWithoutClientsHasNoCustomizers() {
		for (Class<?> missing : new Class<?>[] { RestClientCustomizer.class, RestClient.class }) {
			this.contextRunner.withClassLoader(new FilteredClassLoader(missing))
				.run((context) -> assertThat(context).hasNotFailed()
					.doesNotHaveBean("requestIdRestTemplateCustomizer"));
		}
		for (Class<?> missing : new Class<?>[] { WebClientCustomizer.class, WebClient.class }) {
			this.contextRunner.withClassLoader(new FilteredClassLoader(missing))
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("requestIdWebClientCustomizer"));
		}
	}

	private Supplier<String> rest(RestClient.Builder builder) {
		return () -> builder.build().get().uri(uri()).retrieve().body(String.class);
	}

	private Supplier<String> template(RestTemplate template) {
		return () -> template.getForObject(uri(), String.class);
	}

	private Mono<String> web(WebClient.Builder builder) {
		return builder.build().get().uri(uri()).retrieve().bodyToMono(String.class);
	}

	private String uri() {
		return "http://localhost:" + this.server.getAddress().getPort() + "/";
	}

	private static String within(String id, Supplier<String> call) {
		RequestId.Scope scope = RequestId.open(id);
		try {
			return call.get();
		}
		finally {
			scope.close();
		}
	}

}
