package io.lockable.autoconfigure.web.boot3;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpServer;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.spring.request.RequestId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.http.client.reactive.ClientHttpConnectorAutoConfiguration;
import org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration;
import org.springframework.boot.autoconfigure.web.client.RestTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.web.reactive.function.client.WebClientAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Boot3RequestIdClientAutoConfiguration}, with a server that answers the
 * request id that it received.
 */
class Boot3RequestIdClientAutoConfigurationTests {

	private static final String HOSTS = "distributed-lock.request-id.propagate-to=";

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				Boot3RequestIdClientAutoConfiguration.class));

	private final ApplicationContextRunner contextRunner = this.bare
		.withConfiguration(AutoConfigurations.of(RestClientAutoConfiguration.class, RestTemplateAutoConfiguration.class,
				ClientHttpConnectorAutoConfiguration.class, WebClientAutoConfiguration.class));

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
		this.contextRunner.withPropertyValues(HOSTS + "localhost")
			.run((context) -> assertReceived(context, "[request-1]"));
	}

	@Test
	void callsToOtherHostsCarryNone() {
		this.contextRunner.withPropertyValues(HOSTS + "stock").run((context) -> assertReceived(context, "null"));
		this.contextRunner.run((context) -> assertReceived(context, "null"));
	}

	@Test
	void buildersOfAnApplicationAreProcessed() {
		this.bare.withPropertyValues(HOSTS + "localhost")
			.withBean(RestClient.Builder.class, RestClient::builder)
			.withBean(RestTemplateBuilder.class, RestTemplateBuilder::new)
			.withBean(WebClient.Builder.class, WebClient::builder)
			.run((context) -> assertReceived(context, "[request-1]"));
	}

	@Test
	void disabledRequestIdChangesNoBuilder() {
		this.contextRunner.withPropertyValues(HOSTS + "localhost", "distributed-lock.request-id.enabled=false")
			.run((context) -> assertReceived(context, "null"));
	}

	@Test
	void clientsAreOptional() {
		this.bare.withClassLoader(new FilteredClassLoader(RestClient.class, WebClient.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(Boot3RequestIdClientAutoConfiguration.BuilderPostProcessor.class));
	}

	private void assertReceived(ApplicationContext context, String id) {
		assertThat(within(() -> Objects.requireNonNull(
				context.getBean(RestClient.Builder.class).build().get().uri(uri()).retrieve().body(String.class))))
			.isEqualTo(id);
		assertThat(within(() -> Objects
			.requireNonNull(context.getBean(RestTemplateBuilder.class).build().getForObject(uri(), String.class))))
			.isEqualTo(id);
		assertThat(within(() -> Objects.requireNonNull(context.getBean(WebClient.Builder.class)
			.build()
			.get()
			.uri(uri())
			.retrieve()
			.bodyToMono(String.class)
			.block()))).isEqualTo(id);
	}

	private String uri() {
		return "http://localhost:" + this.server.getAddress().getPort() + "/";
	}

	private static String within(Supplier<String> call) {
		RequestId.Scope scope = RequestId.open("request-1");
		try {
			return call.get();
		}
		finally {
			scope.close();
		}
	}

}
