package io.lockable.autoconfigure.web;

import java.time.Duration;

import io.lockable.LockDeadlockException;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockProblemDetailsAutoConfiguration}.
 */
class LockProblemDetailsAutoConfigurationTests {

	private static final AutoConfigurations CONFIGURATION = AutoConfigurations
		.of(LockProblemDetailsAutoConfiguration.class);

	private static final String ENABLED = "distributed-lock.web.problem-details=on";

	private static final String BEAN = "lockProblemDetails";

	private final WebApplicationContextRunner mvc = new WebApplicationContextRunner().withConfiguration(CONFIGURATION)
		.withUserConfiguration(Mvc.class);

	private final ReactiveWebApplicationContextRunner flux = new ReactiveWebApplicationContextRunner()
		.withConfiguration(CONFIGURATION)
		.withUserConfiguration(Flux.class);

	@ParameterizedTest
	@CsvSource({ "contention, 409, Another call holds the lock: try again later",
			"deadlock, 409, Another call holds the lock: try again later",
			"outage, 503, Locks are unavailable: try again later",
			"loss, 500, The lock was lost: the request may have taken effect" })
	void exceptionIsAProblemWithoutItsMessage(String failure, int status, String detail) {
		this.mvc.withPropertyValues(ENABLED)
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/" + failure)).hasStatus(status)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
				.doesNotContainHeader("Retry-After")
				.bodyText()
				.contains(detail)
				.doesNotContain("secret"));
		this.flux.withPropertyValues(ENABLED)
			.run((context) -> WebTestClient.bindToApplicationContext(context)
				.build()
				.get()
				.uri("/" + failure)
				.exchange()
				.expectStatus()
				.isEqualTo(status)
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON)
				.expectBody(String.class)
				.consumeWith(
						(result) -> assertThat(result.getResponseBody()).contains(detail).doesNotContain("secret")));
	}

	@Test
	void programmingErrorIsNone() {
		this.mvc.withPropertyValues(ENABLED)
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/key")).failure()
				.hasRootCauseInstanceOf(LockKeyException.class));
	}

	@Test
	void handlerOfTheApplicationTakesPrecedence() {
		this.mvc.withPropertyValues(ENABLED)
			.withBean(OwnHandler.class)
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/contention"))
				.hasStatus(HttpStatus.GONE));
		this.flux.withPropertyValues(ENABLED)
			.withBean(OwnHandler.class)
			.run((context) -> WebTestClient.bindToApplicationContext(context)
				.build()
				.get()
				.uri("/contention")
				.exchange()
				.expectStatus()
				.isEqualTo(HttpStatus.GONE));
	}

	@Test
	void thereAreNoneByDefault() {
		this.mvc.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
		this.flux.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	@Test
	void thereAreNoneWithoutLocksOrWeb() {
		this.mvc.withPropertyValues(ENABLED, "distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
		new ApplicationContextRunner().withConfiguration(CONFIGURATION)
			.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	private static LockException failure(String name) {
		return switch (name) {
			case "contention" -> new LockNotAcquiredException("secret", Duration.ZERO);
			case "deadlock" -> new LockDeadlockException("secret");
			case "outage" -> new LockStoreException("secret");
			case "loss" -> new LockLostException("secret");
			default -> new LockKeyException("secret");
		};
	}

	@EnableWebMvc
	@Configuration(proxyBeanMethods = false)
	@Import(Mvc.Failing.class)
	static class Mvc {

		@RestController
		static class Failing {

			@GetMapping("/{failure}")
			String fail(@PathVariable("failure") String failure) {
				throw failure(failure);
			}

		}

	}

	@EnableWebFlux
	@Configuration(proxyBeanMethods = false)
	@Import(Flux.Failing.class)
	static class Flux {

		@RestController
		static class Failing {

			@GetMapping("/{failure}")
			Mono<String> fail(@PathVariable("failure") String failure) {
				return Mono.error(failure(failure));
			}

		}

	}

	@RestControllerAdvice
	static class OwnHandler {

		@ExceptionHandler
		@ResponseStatus(HttpStatus.GONE)
		void handle(Exception ex) {
		}

	}

}
