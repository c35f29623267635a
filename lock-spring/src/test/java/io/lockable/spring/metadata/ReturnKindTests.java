package io.lockable.spring.metadata;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ReturnKind}.
 */
class ReturnKindTests {

	@ParameterizedTest
	@ValueSource(strings = { "nothing", "number", "text", "optional", "largest", "supplier" })
	void valueIsDoneOnReturn(String method) {
		assertThat(kind(method)).isEqualTo(ReturnKind.VALUE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "future", "stage", "futureEnum" })
	void stageIsDoneOnCompletion(String method) {
		assertThat(kind(method)).isEqualTo(ReturnKind.STAGE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "mono", "flux", "publisher", "flow" })
	void publisherIsDoneOnCompletion(String method) {
		assertThat(kind(method)).isEqualTo(ReturnKind.PUBLISHER);
	}

	@ParameterizedTest
	@ValueSource(strings = { "plainFuture", "task", "callable", "stream" })
	void whatDoesNotSayWhenItIsDoneIsRefused(String method) {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> kind(method))
			.withMessageContaining("does not signal its completion");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "response", "responseLater", "responseOfMany", "futures", "futureResponse", "laterOfMany" })
	void whatContinuesWithinTheResultIsRefused(String method) {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> kind(method))
			.withMessageContaining("continues after the lock would be released");
	}

	@Test
	void futureOfATypeThatCannotBeReplacedIsRefused() {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> kind("ownFuture"))
			.withMessageContaining("not a OwnFuture");
	}

	private static ReturnKind kind(String method) {
		return ReturnKind.of(ReflectionUtils.findMethod(Methods.class, method));
	}

	interface Methods {

		void nothing();

		int number();

		String text();

		Optional<String> optional();

		CompletableFuture<String> future();

		CompletionStage<String> stage();

		Mono<String> mono();

		Flux<String> flux();

		Publisher<String> publisher();

		Flow.Publisher<String> flow();

		Future<String> plainFuture();

		ForkJoinTask<String> task();

		Callable<String> callable();

		StreamingResponseBody stream();

		ResponseEntity<StreamingResponseBody> response();

		ResponseEntity<CompletableFuture<String>> responseLater();

		ResponseEntity<Flux<String>> responseOfMany();

		List<CompletableFuture<String>> futures();

		CompletableFuture<ResponseEntity<StreamingResponseBody>> futureResponse();

		Mono<ResponseEntity<Flux<String>>> laterOfMany();

		<T extends Comparable<T>> T largest();

		Supplier<CompletableFuture<String>> supplier();

		<E extends Enum<E>> CompletableFuture<E> futureEnum();

		OwnFuture ownFuture();

	}

	static class OwnFuture extends CompletableFuture<String> {

	}

}
