package io.lockable.spring.call;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.LocksInMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for annotated methods with several permits.
 */
@Timeout(30)
class PermitsTests {

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner().withBean(Carrier.class);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void endThreads() {
		this.threads.shutdownNow();
	}

	@Test
	void asManyCallsRunAtOnceAsThereArePermits() {
		run((carrier, locks) -> {
			CountDownLatch inside = new CountDownLatch(3);
			CountDownLatch mayEnd = new CountDownLatch(1);
			List<Future<Long>> calls = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				calls.add(this.threads.submit(() -> carrier.call(() -> {
					inside.countDown();
					mayEnd.await();
					return LockContext.current().fencingToken();
				})));
			}
			assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> carrier.call(() -> 0L));
			mayEnd.countDown();
			List<Long> tokens = new ArrayList<>();
			for (Future<Long> call : calls) {
				tokens.add(call.get());
			}
			assertThat(tokens).doesNotHaveDuplicates();
			assertThat(carrier.call(() -> 1L)).isOne();
			assertThat(locks.get("disLock:carrier").isLocked()).isFalse();
		});
	}

	@Test
	void refusalAfterAWaitNamesAHolder() {
		run((carrier, locks) -> {
			CountDownLatch inside = new CountDownLatch(3);
			CountDownLatch mayEnd = new CountDownLatch(1);
			for (int i = 0; i < 3; i++) {
				this.threads.submit(() -> carrier.call(() -> {
					inside.countDown();
					mayEnd.await();
					return 0L;
				}));
			}
			assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> carrier.waiting(() -> 0L))
				.withMessageMatching(
						".*another owner holds it: '.+' of .+, for .+ and 2 more\\. The method was not run\\.");
			mayEnd.countDown();
		});
	}

	@Test
	void callWithinAnotherHoldsAPermitOfItsOwn() {
		run((carrier, locks) -> carrier.call(() -> carrier.call(() -> carrier.call(() -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> carrier.call(() -> 0L));
			return 3L;
		}))));
	}

	@Test
	void exclusiveLockOfTheKeyShutsOutAndIsShutOut() {
		run((carrier, locks) -> {
			carrier.call(() -> {
				assertThat(locks.get("disLock:carrier").tryAcquire()).isEmpty();
				return 0L;
			});
			locks.get("disLock:carrier")
				.run(() -> assertThatExceptionOfType(LockException.class).isThrownBy(() -> carrier.patient(() -> 0L))
					.withMessageContaining("would wait for itself"));
		});
	}

	@Test
	void stageHoldsItsPermitUntilItsWorkIsDone() {
		run((carrier, locks) -> {
			List<CompletableFuture<String>> works = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				CompletableFuture<String> work = new CompletableFuture<>();
				works.add(work);
				assertThat(carrier.stage(work)).isNotDone();
			}
			CompletableFuture<String> refused = carrier.stage(new CompletableFuture<>());
			assertThatExceptionOfType(CompletionException.class).isThrownBy(refused::join)
				.withCauseInstanceOf(LockNotAcquiredException.class);
			works.get(1).complete("done");
			assertThat(carrier.stage(CompletableFuture.completedFuture("next"))).isCompletedWithValue("next");
			works.forEach((work) -> work.complete("done"));
		});
	}

	@Test
	void publisherHoldsItsPermitUntilItsWorkIsDone() {
		run((carrier, locks) -> {
			Sinks.One<String> work = Sinks.one();
			CompletableFuture<List<String>> three = Flux.range(0, 3)
				.flatMap((i) -> carrier.mono(work.asMono()))
				.collectList()
				.toFuture();
			await().until(() -> {
				try {
					return !"free".equals(carrier.mono(Mono.just("free")).block());
				}
				catch (LockNotAcquiredException ex) {
					return true;
				}
			});
			work.tryEmitValue("done");
			assertThat(three.get(10, TimeUnit.SECONDS)).containsExactly("done", "done", "done");
		});
	}

	@Test
	void nestedPublisherHoldsAPermitOfItsOwn() {
		run((carrier, locks) -> {
			Mono<String> three = carrier.mono(carrier.mono(carrier.mono(Mono.just("three"))));
			assertThat(three.block()).isEqualTo("three");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> carrier.mono(three).block());
		});
	}

	@Test
	void keyThatIsWantedAsALockAndAsAPermitInOneCallIsRefused() {
		this.contextRunner.withBean(Both.class)
			.run((context) -> assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> context.getBean(Both.class).call())
				.withMessageContaining("as one of 2 permits")
				.withMessageContaining("as EXCLUSIVE"));
	}

	private void run(Check check) {
		this.contextRunner
			.run((context) -> check.run(context.getBean(Carrier.class), context.getBean(DistributedLocks.class)));
	}

	interface Check {

		void run(Carrier carrier, DistributedLocks locks) throws Exception;

	}

	static class Carrier {

		@DistributedLockable(key = "carrier", permits = 3)
		long call(Callable<Long> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "carrier", permits = 3, waitTime = 60)
		long patient(Callable<Long> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "carrier", permits = 3, waitTime = 3)
		long waiting(Callable<Long> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "carrier", permits = 3)
		CompletableFuture<String> stage(CompletableFuture<String> work) {
			return work;
		}

		@DistributedLockable(key = "carrier", permits = 3)
		Mono<String> mono(Mono<String> work) {
			return work;
		}

	}

	static class Both {

		@DistributedLockable(key = "a", permits = 2)
		@DistributedLockable(key = "a")
		void call() {
		}

	}

}
