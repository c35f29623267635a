package io.lockable.spring.request;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;

/**
 * Tests for {@link RequestIdFilter}.
 */
class RequestIdFilterTests {

	private final RequestIdFilter filter = new RequestIdFilter("Req-Id");

	private final MockMvc mvc = MockMvcBuilders.standaloneSetup(new IdController()).addFilters(this.filter).build();

	@AfterEach
	void nothingIsLeftInTheThread() {
		assertThat(RequestId.current()).isNull();
		assertThat(MDC.get("reqId")).isNull();
	}

	@Test
	void validHeaderIsTakenAndEchoed() throws Exception {
		this.mvc.perform(get("/id").header("Req-Id", "client-1"))
			.andExpect(header().string("Req-Id", "client-1"))
			.andExpect(content().string("client-1 client-1"));
	}

	@Test
	void missingHeaderGivesNewId() throws Exception {
		MvcResult result = this.mvc.perform(get("/id")).andReturn();
		String id = result.getResponse().getHeader("Req-Id");
		assertThat(RequestId.isValid(id)).isTrue();
		assertThat(result.getResponse().getContentAsString()).isEqualTo(id + " " + id);
		assertThat(this.mvc.perform(get("/id")).andReturn().getResponse().getHeader("Req-Id")).isNotEqualTo(id);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a b", "a:b", "<script>", "a\r\nSet-Cookie: x", "ä",
			"01234567890123456789012345678901234567890123456789012345678901234" })
	void invalidHeaderIsReplaced(String sent) throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		AtomicReference<String> seen = new AtomicReference<>();
		this.filter.doFilter(request(sent), response, (req, res) -> seen.set(RequestId.current()));
		assertThat(RequestId.isValid(seen.get())).isTrue();
		assertThat(seen.get()).isNotEqualTo(sent);
		assertThat(response.getHeader("Req-Id")).isEqualTo(seen.get());
	}

	@Test
	void idIsRemovedWhenTheRequestFails() {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.filter.doFilter(request("client-1"), new MockHttpServletResponse(), (req, res) -> {
				throw new IOException("broken");
			}));
		assertThat(RequestId.current()).isNull();
		assertThat(MDC.get("reqId")).isNull();
	}

	@Test
	void errorDispatchKeepsTheIdThatWasMade() throws Exception {
		MockHttpServletRequest request = request(null);
		MockHttpServletResponse response = new MockHttpServletResponse();
		List<String> seen = new ArrayList<>();
		FilterChain chain = (req, res) -> seen.add(RequestId.current());
		this.filter.doFilter(request, response, chain);
		request.setDispatcherType(DispatcherType.ERROR);
		request.setAttribute("jakarta.servlet.error.request_uri", "/id");
		response.reset();
		this.filter.doFilter(request, response, chain);
		assertThat(seen).hasSize(2);
		assertThat(seen.get(1)).isEqualTo(seen.get(0));
		assertThat(response.getHeader("Req-Id")).isEqualTo(seen.get(0));
	}

	@Test
	void asyncDispatchKeepsTheIdThatWasMade() throws Exception {
		MvcResult started = this.mvc.perform(get("/async")).andReturn();
		String id = started.getResponse().getHeader("Req-Id");
		started.getAsyncResult();
		assertThat(RequestId.current()).isNull();
		AtomicReference<String> dispatched = new AtomicReference<>();
		MockHttpServletRequest request = started.getRequest();
		request.setDispatcherType(DispatcherType.ASYNC);
		this.filter.doFilter(request, started.getResponse(), (req, res) -> dispatched.set(RequestId.current()));
		assertThat(dispatched).hasValue(id);
		this.mvc.perform(asyncDispatch(started)).andExpect(header().string("Req-Id", id));
	}

	private static MockHttpServletRequest request(String header) {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/id");
		if (header != null) {
			request.addHeader("Req-Id", header);
		}
		return request;
	}

	@RestController
	static class IdController {

		@GetMapping("/id")
		String id() {
			return RequestId.current() + " " + MDC.get("reqId");
		}

		@GetMapping("/async")
		Callable<String> async() {
			return () -> "done";
		}

	}

}
