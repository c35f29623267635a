package com.example.reactive;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.engine.LockEngine;
import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/**
 * Runs the code of {@code docs/guides/reactive.md}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureDistributedLocks
class StockTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final int RESERVATIONS = 10;

	@Autowired
	private Stock stock;

	@Autowired
	private LockEngine engine;

	@Autowired
	private LockFaults faults;

	@Autowired
	private LockTestClock clock;

	@MockitoBean
	private StockClient client;

	private final AtomicInteger left = new AtomicInteger(RESERVATIONS - 1);

	@BeforeEach
	void prepareClient() {
		given(this.client.articles()).willReturn(Flux.just("mug", "cup"));
		given(this.client.available(any())).willAnswer((call) -> Mono.fromCallable(this.left::get));
		given(this.client.update(any(), anyInt()))
			.willAnswer((call) -> Mono.fromRunnable(() -> this.left.set(call.getArgument(1))));
	}

	@Test
	void concurrentReservationsNeverOversell() {
		Sinks.One<Boolean> start = Sinks.one();
		given(this.client.available(any()))
			.willAnswer((call) -> start.asMono().then(Mono.fromCallable(this.left::get)));
		CompletableFuture<Long> reserved = Flux
			.fromStream(IntStream.range(0, RESERVATIONS).mapToObj((call) -> this.stock.reserve("mug", 1)))
			.flatMap((reservation) -> reservation, RESERVATIONS)
			.count()
			.toFuture();
		await().atMost(SOON).until(() -> this.engine.waiting().size() == RESERVATIONS - 1);
		start.tryEmitValue(true);
		assertThat(reserved).succeedsWithin(SOON).isEqualTo(RESERVATIONS - 1L);
		assertThat(this.left).hasValue(0);
	}

	@Test
	void contentionIsAnErrorSignalAfterTheWait() {
		this.faults.hold("disLock:mug");
		CompletableFuture<Integer> reservation = this.stock.reserve("mug", 1).toFuture();
		await().atMost(SOON).until(() -> !this.engine.waiting().isEmpty());
		this.clock.advance(Duration.ofSeconds(5));
		assertThat(reservation).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		then(this.client).shouldHaveNoInteractions();
	}

	@Test
	void skippedInventoryIsEmpty() {
		assertThat(this.stock.inventory().collectList().block(SOON)).containsExactly("mug: 9", "cup: 9");
		this.faults.hold("disLock:inventory");
		assertThat(this.stock.inventory().collectList().block(SOON)).isEmpty();
	}

	@Test
	void lostLockCancelsTheWork() {
		CompletableFuture<Void> cancelled = new CompletableFuture<>();
		CompletableFuture<Void> subscribed = new CompletableFuture<>();
		given(this.client.available("mug")).willReturn(Mono.<Integer>never()
			.doOnSubscribe((subscription) -> subscribed.complete(null))
			.doOnCancel(() -> cancelled.complete(null)));
		CompletableFuture<Integer> reservation = this.stock.reserve("mug", 1).toFuture();
		assertThat(subscribed).succeedsWithin(SOON);
		this.faults.lose("disLock:mug");
		assertThat(reservation).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(cancelled).succeedsWithin(SOON);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Stock.class)
	static class Application {

	}

}
