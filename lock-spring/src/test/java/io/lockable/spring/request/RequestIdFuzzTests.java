package io.lockable.spring.request;

import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import io.lockable.Lease;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.server.MockServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Random headers: each is used unchanged or replaced. An invalid one never reaches the
 * MDC, an owner token or a response. More seeds: {@code -Dlockable.fuzz.seeds=100}.
 */
class RequestIdFuzzTests {

	private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

	private static final String[] PARTS = { "req", "-", ".", "_", "42", "\r\n", "\n", "\u0000", "\u001b[2K", " ", "\t",
			"\u00e4", "\u2028", "\ud83d\ude00", "\ud83d", "\u0661", "\uff21", "%0d%0a", ":", "<script>", "${jndi:x}" };

	private final RequestIdFilter filter = new RequestIdFilter("Req-Id");

	private final RequestIdWebFilter webFilter = new RequestIdWebFilter("Req-Id");

	static LongStream seeds() {
		return LongStream.rangeClosed(1, Long.getLong("lockable.fuzz.seeds", 2));
	}

	@AfterEach
	void nothingIsLeftInTheThread() {
		assertThat(RequestId.current()).isNull();
		assertThat(MDC.get(RequestId.MDC_KEY)).isNull();
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void headerIsTakenOrReplaced(long seed) throws Exception {
		Random random = new Random(seed);
		int taken = 0;
		try (LockEngine engine = LockEngine.builder(new InMemoryLockStore()).requestId(RequestId::current).build()) {
			for (int i = 0; i < 2_000; i++) {
				String sent = header(random);
				String description = "seed %d, header %d: '%s'".formatted(seed, i, sent);
				AtomicReference<String> owner = new AtomicReference<>();
				MockHttpServletRequest request = new MockHttpServletRequest();
				request.addHeader("Req-Id", sent);
				MockHttpServletResponse response = new MockHttpServletResponse();
				this.filter.doFilter(request, response, (req, res) -> {
					assertThat(MDC.get(RequestId.MDC_KEY)).as(description).isEqualTo(RequestId.current());
					try (Lease lease = engine.get("lock").acquire()) {
						owner.set(lease.owner());
					}
					catch (InterruptedException ex) {
						throw new IllegalStateException(ex);
					}
				});
				String id = owner.get().substring(0, owner.get().indexOf(':'));
				taken += id.equals(sent) ? 1 : 0;
				assertAccepted(sent, id, description);
				assertThat(response.getHeader("Req-Id")).as(description).isEqualTo(id);
				assertAccepted(sent, reactive(sent), description);
				open(sent, description);
			}
		}
		assertThat(taken).isBetween(100, 1_900);
	}

	private static void assertAccepted(String sent, String id, String description) {
		assertThat(id).as(description).matches(VALID);
		assertThat(id.equals(sent)).as(description).isEqualTo(VALID.matcher(sent).matches());
	}

	private String reactive(String sent) {
		HttpHeaders headers = new HttpHeaders();
		headers.set("Req-Id", sent);
		MockServerWebExchange exchange = MockServerWebExchange
			.from(MockServerHttpRequest.get("/").headers(headers).build());
		AtomicReference<String> seen = new AtomicReference<>();
		this.webFilter
			.filter(exchange, (next) -> Mono.deferContextual(
					(context) -> Mono.fromRunnable(() -> seen.set(context.get(RequestIdThreadLocalAccessor.KEY)))))
			.block();
		assertThat(exchange.getResponse().getHeaders().getFirst("Req-Id")).isEqualTo(seen.get());
		return seen.get();
	}

	private static void open(String sent, String description) {
		if (RequestId.isValid(sent)) {
			RequestId.open(sent).close();
		}
		else {
			assertThatIllegalArgumentException().as(description)
				.isThrownBy(() -> RequestId.open(sent))
				.satisfies((refusal) -> assertThat(refusal.getMessage()).doesNotContainPattern("[\\p{Cntrl}\u2028]")
					.hasSizeLessThan(30_000));
		}
	}

	private static String header(Random random) {
		if (random.nextInt(100) == 0) {
			return "a\n".repeat(100_000);
		}
		StringBuilder header = new StringBuilder();
		boolean clean = random.nextBoolean();
		for (int i = random.nextInt(24); i > 0; i--) {
			header.append(clean ? PARTS[random.nextInt(5)] : random.nextBoolean() ? PARTS[random.nextInt(PARTS.length)]
					: String.valueOf((char) random.nextInt(0x180)));
		}
		return header.toString();
	}

}
