package io.lockable.spring.request;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshotFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RequestId} and {@link RequestIdThreadLocalAccessor}.
 */
class RequestIdTests {

	@AfterEach
	void nothingIsLeftInTheThread() {
		assertThat(RequestId.current()).isNull();
		assertThat(MDC.get("reqId")).isNull();
	}

	@Test
	void runSetsIdAndMdcAndRemovesThem() {
		RequestId.run("job-1", () -> {
			assertThat(RequestId.current()).isEqualTo("job-1");
			assertThat(MDC.get("reqId")).isEqualTo("job-1");
		});
		assertThat(RequestId.current()).isNull();
		assertThat(MDC.get("reqId")).isNull();
	}

	@Test
	void nestedRunBringsThePreviousIdBack() {
		RequestId.run("outer", () -> {
			RequestId.run("inner", () -> assertThat(RequestId.current()).isEqualTo("inner"));
			assertThat(RequestId.current()).isEqualTo("outer");
			assertThat(MDC.get("reqId")).isEqualTo("outer");
		});
	}

	@Test
	void mdcValueOfTheApplicationComesBack() {
		MDC.put("reqId", "own");
		try {
			RequestId.run("job-1", () -> assertThat(MDC.get("reqId")).isEqualTo("job-1"));
			assertThat(MDC.get("reqId")).isEqualTo("own");
		}
		finally {
			MDC.remove("reqId");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "A-1_b.c", "0123456789012345678901234567890123456789012345678901234567890123" })
	void validIds(String id) {
		assertThat(RequestId.isValid(id)).isTrue();
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " ", "a b", "a:b", "a\n", "\na", "ä", "{a}",
			"01234567890123456789012345678901234567890123456789012345678901234" })
	void invalidIds(String id) {
		assertThat(RequestId.isValid(id)).isFalse();
		assertThatIllegalArgumentException().isThrownBy(() -> RequestId.open(id));
	}

	@Test
	void contextPropagationCarriesTheIdToAPooledThreadAndLeavesNothing() throws Exception {
		ExecutorService pool = Executors.newSingleThreadExecutor();
		try {
			ExecutorService propagating = ContextExecutorService.wrap(pool,
					() -> ContextSnapshotFactory.builder().build().captureAll());
			AtomicReference<String> carried = new AtomicReference<>();
			AtomicReference<String> mdc = new AtomicReference<>();
			RequestId.Scope scope = RequestId.open("request-1");
			try {
				propagating.submit(() -> {
					carried.set(RequestId.current());
					mdc.set(MDC.get("reqId"));
				}).get();
			}
			finally {
				scope.close();
			}
			assertThat(carried).hasValue("request-1");
			assertThat(mdc).hasValue("request-1");
			assertThat(pool.submit(RequestId::current).get()).isNull();
			assertThat(pool.submit(() -> MDC.get("reqId")).get()).isNull();
		}
		finally {
			pool.shutdown();
		}
	}

}
