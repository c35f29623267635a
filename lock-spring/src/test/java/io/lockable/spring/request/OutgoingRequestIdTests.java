package io.lockable.spring.request;

import java.net.URI;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutgoingRequestId}.
 */
class OutgoingRequestIdTests {

	@ParameterizedTest
	@CsvSource({ "stock, http://stock/items, true", "stock, http://stock:8080/items, true",
			"Stock, https://STOCK/items, true", "stock, http://stock.evil.com/, false",
			"stock, http://evil.com/stock, false", "stock, http://stock@evil.com/, false",
			"stock, http://mystock/, false", "*.example.com, http://a.example.com/, true",
			"*.example.com, http://a.b.example.com/, true", "*.example.com, http://example.com/, false",
			"*.example.com, http://badexample.com/, false", "*.example.com, http://example.com.evil.com/, false",
			"*, http://anything/, true", "*, http://under_score/, true", "stock_svc, http://stock_svc:8080/items, true",
			"stock_svc, http://user@Stock_svc/, true", "stock_svc, http://stock_svc@evil_host/, false",
			"stock_svc, http://my_stock_svc/, false", "*.in_house, http://a.in_house:80/, true",
			"stock_svc, mailto:stock_svc, false", "stock, /relative, false", "127.0.0.1, http://127.0.0.1:80/, true",
			"[::1], http://[::1]:80/, true", "stock, lb://stock/items, true" })
	void hostIsAllowedAsItIsNamed(String allowed, URI uri, boolean meant) {
		assertThat(outgoing(allowed).matches(uri)).isEqualTo(meant);
	}

	@Test
	void noHostIsAllowedByDefault() {
		OutgoingRequestId outgoing = outgoing();
		assertThat(outgoing.isEnabled()).isFalse();
		assertThat(outgoing.matches(URI.create("http://localhost/"))).isFalse();
	}

	private static OutgoingRequestId outgoing(String... allowed) {
		return new OutgoingRequestId("Req-Id", List.of(allowed));
	}

}
