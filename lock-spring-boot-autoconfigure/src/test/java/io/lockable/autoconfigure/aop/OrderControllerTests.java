package io.lockable.autoconfigure.aop;

import io.lockable.LockNotAcquiredException;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * The example of {@code docs/testing.md} with a mock, and the problem detail of
 * contention in a slice.
 */
@TestPropertySource(properties = "distributed-lock.web.problem-details=true")
// tag::mock[]
@WebMvcTest(OrderController.class)
class OrderControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private Orders orders;

	@Test
	void orderIsPaid() {
		given(this.orders.pay("42")).willReturn("receipt");
		assertThat(this.mvc.post().uri("/orders/42/payment")).hasStatusOk().hasBodyTextEqualTo("receipt");
	}

	@Test
	void orderThatAnotherRequestPaysIsAConflict() {
		given(this.orders.pay("42")).willThrow(new LockNotAcquiredException("disLock:42 is locked"));
		assertThat(this.mvc.post().uri("/orders/42/payment")).hasStatus(HttpStatus.CONFLICT);
	}
	// end::mock[]

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OrderController.class)
	static class Application {

	}

}
