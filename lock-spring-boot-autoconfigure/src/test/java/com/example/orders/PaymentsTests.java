package com.example.orders;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import com.example.GuidePages;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.times;

/**
 * Runs the code of {@code docs/guides/pay-an-order-once.md}.
 */
@SpringBootTest(properties = "distributed-lock.web.problem-details=true")
@AutoConfigureDistributedLocks
class PaymentsTests {

	@Autowired
	private Payments payments;

	@Autowired
	private WebApplicationContext context;

	@Autowired
	private LockEngine engine;

	@Autowired
	private LockFaults faults;

	@Autowired
	private LockTestClock clock;

	@Autowired
	private JdbcClient database;

	@MockitoBean
	private PaymentProvider provider;

	@BeforeEach
	void createTable() {
		this.database.sql("DROP TABLE IF EXISTS payments").update();
		this.database.sql(GuidePages.block("guides/pay-an-order-once.md", "sql")).update();
	}

	@Test
	void concurrentCallsChargeOnceAndReturnOneReceipt() {
		ExecutorService executor = Executors.newFixedThreadPool(2);
		try {
			given(this.provider.charge("42")).willAnswer((invocation) -> {
				await().atMost(30, TimeUnit.SECONDS).until(() -> !this.engine.waiting().isEmpty());
				return "receipt";
			});
			CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> this.payments.pay("42"), executor);
			CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> this.payments.pay("42"), executor);
			assertThat(first).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo("receipt");
			assertThat(second).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo("receipt");
			then(this.provider).should(times(1)).charge(any());
		}
		finally {
			executor.shutdownNow();
		}
	}

	@Test
	void repeatedCallReturnsTheFirstReceipt() {
		given(this.provider.charge("42")).willReturn("first", "second");
		assertThat(this.payments.pay("42")).isEqualTo("first");
		assertThat(this.payments.pay("42")).isEqualTo("first");
	}

	@Test
	void contentionIsAConflict() {
		this.faults.hold("disLock:42");
		this.clock.skipWaits();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.payments.pay("42"));
		assertThat(mvc().post().uri("/orders/42/payment")).hasStatus(HttpStatus.CONFLICT);
		then(this.provider).shouldHaveNoInteractions();
	}

	@Test
	void outageIsServiceUnavailable() {
		this.faults.fail(LockFaults.Command.ACQUIRE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.payments.pay("42"));
		assertThat(mvc().post().uri("/orders/42/payment")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
		then(this.provider).shouldHaveNoInteractions();
	}

	@Test
	void lostLockRollsBackAndTheNextCallChargesWithTheSameOrder() {
		given(this.provider.charge("42")).willAnswer((invocation) -> {
			this.faults.lose("disLock:42");
			return "receipt";
		}).willReturn("receipt");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.payments.pay("42"));
		assertThat(this.database.sql("SELECT count(*) FROM payments").query(Integer.class).single()).isZero();
		assertThat(this.payments.pay("42")).isEqualTo("receipt");
		then(this.provider).should(times(2)).charge("42");
	}

	private MockMvcTester mvc() {
		return MockMvcTester.from(this.context);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Payments.class, PaymentController.class })
	static class Application {

	}

	@RestController
	static class PaymentController {

		private final Payments payments;

		PaymentController(Payments payments) {
			this.payments = payments;
		}

		@PostMapping("/orders/{order}/payment")
		String pay(@PathVariable String order) {
			return this.payments.pay(order);
		}

	}

}
