package com.example.supplier;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.annotation.DistributedLockable;
import io.lockable.engine.LockEngine;
import io.lockable.test.LockTestClock;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/**
 * Runs the code of {@code docs/guides/rate-limited-supplier.md}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureDistributedLocks
class SupplierStockTests {

	private static final int PERMITS = 5;

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final int CALLS = 8;

	@Autowired
	private SupplierStock stock;

	@Autowired
	private Limited limited;

	@Autowired
	private DistributedLocks locks;

	@Autowired
	private LockEngine engine;

	@Autowired
	private LockTestClock clock;

	@MockitoBean
	private SupplierClient client;

	@Test
	void fiveCallsRunAndFurtherOnesWait() {
		CountDownLatch answer = new CountDownLatch(1);
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		given(this.client.stock("mug")).willAnswer((invocation) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			answer.await();
			running.decrementAndGet();
			return 7;
		});
		ExecutorService executor = Executors.newFixedThreadPool(CALLS);
		try {
			List<CompletableFuture<OptionalInt>> calls = IntStream.range(0, CALLS)
				.mapToObj((call) -> CompletableFuture.supplyAsync(() -> this.stock.stock("mug"), executor))
				.toList();
			await().atMost(30, TimeUnit.SECONDS)
				.until(() -> running.get() == PERMITS && this.engine.waiting().size() == CALLS - PERMITS);
			answer.countDown();
			assertThat(calls).allSatisfy(
					(call) -> assertThat(call).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(OptionalInt.of(7)));
			assertThat(most).hasValue(PERMITS);
		}
		finally {
			answer.countDown();
			executor.shutdownNow();
		}
	}

	@Test
	void callWithoutAPermitReturnsTheFallback() {
		given(this.client.stock("mug")).willReturn(7);
		List<Lease> others = new ArrayList<>();
		Stream.generate(() -> this.locks.getSemaphore("disLock:supplier", PERMITS, LockOptions.defaults()))
			.limit(PERMITS)
			.forEach((semaphore) -> others.add(semaphore.tryAcquire().orElseThrow()));
		this.clock.skipWaits();
		assertThat(this.stock.stock("mug")).isEmpty();
		then(this.client).shouldHaveNoInteractions();
		others.get(0).close();
		assertThat(this.stock.stock("mug")).hasValue(7);
		others.forEach(Lease::close);
	}

	@Test
	void minHoldLimitsTheCallsOfASecond() {
		this.clock.skipWaits();
		List<Long> starts = new ArrayList<>();
		for (int call = 0; call <= 2 * PERMITS; call++) {
			starts.add(this.limited.call(this.clock::getAsLong));
		}
		for (int call = PERMITS; call <= 2 * PERMITS; call++) {
			assertThat(starts.get(call) - starts.get(call - PERMITS)).isGreaterThanOrEqualTo(SECOND);
		}
		assertThat(starts.get(PERMITS - 1) - starts.get(0)).isLessThan(SECOND);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ SupplierStock.class, Limited.class })
	static class Application {

	}

	static class Limited {

		@DistributedLockable(key = "limited", permits = PERMITS, minHold = "1s", waitTime = 60)
		<T> T call(Supplier<T> body) {
			return body.get();
		}

	}

}
