package io.lockable.spring.call;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.LockKeyException;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;
import io.lockable.spring.LocksInMemory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link PublisherCall}, through a proxy.
 */
class PublisherCallTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner()
		.withBean(Publishers.class)
		.withBean(Implemented.class);

	@Test
	void monoIsNotReleasedBeforeItsWorkIsDone() {
		run((publishers, lock) -> {
			Sinks.One<String> work = Sinks.one();
			CompletableFuture<String> result = publishers.mono("1", work::asMono).toFuture();
			awaitLocked(lock);
			assertThat(result).isNotDone();
			work.tryEmitValue("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
			awaitFree(lock);
		});
	}

	@Test
	void fluxIsNotReleasedBeforeItsWorkIsDone() {
		run((publishers, lock) -> {
			Sinks.Many<String> work = Sinks.many().unicast().onBackpressureBuffer();
			List<String> values = new CopyOnWriteArrayList<>();
			AtomicBoolean lockedAtTheEnd = new AtomicBoolean(true);
			publishers.flux("1", work::asFlux).subscribe(values::add, null, () -> lockedAtTheEnd.set(lock.isLocked()));
			work.tryEmitNext("a");
			await().atMost(SOON).untilAsserted(() -> assertThat(values).containsExactly("a"));
			assertThat(lock.isLocked()).isTrue();
			work.tryEmitNext("b");
			work.tryEmitComplete();
			await().atMost(SOON).untilAsserted(() -> assertThat(lockedAtTheEnd).isFalse());
			assertThat(values).containsExactly("a", "b");
		});
	}

	@Test
	void nothingHappensBeforeTheSubscription() {
		run((publishers, lock) -> {
			AtomicInteger runs = new AtomicInteger();
			Mono<String> mono = publishers.mono("1", () -> Mono.just("run " + runs.incrementAndGet()));
			assertThat(runs).hasValue(0);
			assertThat(lock.isLocked()).isFalse();
			assertThat(mono.block(SOON)).isEqualTo("run 1");
		});
	}

	@Test
	void everySubscriptionLocksAgain() {
		run((publishers, lock) -> {
			AtomicInteger runs = new AtomicInteger();
			List<Long> tokens = new ArrayList<>();
			Mono<String> mono = publishers.mono("1", () -> {
				tokens.add(LockContext.current().fencingToken());
				return (runs.incrementAndGet() < 3) ? Mono.error(new IllegalStateException("again"))
						: Mono.just("done");
			});
			assertThat(mono.retry(2).block(SOON)).isEqualTo("done");
			assertThat(tokens).hasSize(3).doesNotHaveDuplicates();
		});
	}

	@Test
	void everySubscriptionOfAMethodAnnotatedOnItsInterfaceLocksAgain() {
		this.contextRunner.run((context) -> {
			List<Long> tokens = new ArrayList<>();
			Mono<String> mono = context.getBean(Declared.class).mono("1", () -> {
				tokens.add(LockContext.current().fencingToken());
				return Mono.just("done");
			});
			assertThat(mono.repeat(2).collectList().block(SOON)).hasSize(3);
			assertThat(tokens).hasSize(3).doesNotHaveDuplicates();
		});
	}

	@Test
	void lockIsFreeForWhatFollowsTheValue() {
		run((publishers, lock) -> {
			Mono<String> twice = publishers.mono("1", () -> Mono.just("once"))
				.flatMap((value) -> publishers.mono("1", () -> Mono.just(value + ", twice")))
				.then(publishers.flux("1", () -> Flux.just("thrice")).last());
			for (int i = 0; i < 100; i++) {
				assertThat(twice.block(SOON)).isEqualTo("thrice");
			}
		});
	}

	@Test
	void emptyMonoReleases() {
		run((publishers, lock) -> {
			assertThat(publishers.mono("1", Mono::empty).block(SOON)).isNull();
			awaitFree(lock);
		});
	}

	@Test
	void errorOfTheWorkReleases() {
		run((publishers, lock) -> {
			Mono<String> mono = publishers.mono("1", () -> Mono.error(new IllegalStateException("broken")));
			assertThatIllegalStateException().isThrownBy(() -> mono.block(SOON)).withMessage("broken");
			awaitFree(lock);
		});
	}

	@Test
	void exceptionOfTheMethodIsSignalledAndReleases() {
		run((publishers, lock) -> {
			Mono<String> mono = publishers.mono("1", () -> {
				throw new IllegalStateException("broken");
			});
			assertThatIllegalStateException().isThrownBy(() -> mono.block(SOON)).withMessage("broken");
			awaitFree(lock);
		});
	}

	@Test
	void nullInsteadOfAPublisherReleases() {
		run((publishers, lock) -> {
			assertThat(publishers.mono("1", () -> null).block(SOON)).isNull();
			awaitFree(lock);
		});
	}

	@Test
	void cancellationCancelsTheWorkAndReleases() {
		run((publishers, lock) -> {
			AtomicBoolean lockedWhenCancelled = new AtomicBoolean();
			CountDownLatch working = new CountDownLatch(1);
			Disposable subscription = publishers
				.mono("1",
						() -> Mono.<String>never()
							.doOnRequest((count) -> working.countDown())
							.doOnCancel(() -> lockedWhenCancelled.set(lock.isLocked())))
				.subscribe();
			assertThat(working.await(10, TimeUnit.SECONDS)).isTrue();
			subscription.dispose();
			awaitFree(lock);
			assertThat(lockedWhenCancelled).isTrue();
		});
	}

	@Test
	void takingSomeOfAFluxReleases() {
		run((publishers, lock) -> {
			assertThat(publishers.flux("1", () -> Flux.just("a", "b", "c")).take(2).collectList().block(SOON))
				.containsExactly("a", "b");
			awaitFree(lock);
		});
	}

	@Test
	void cancellationWhileWaitingGivesUp() {
		run((publishers, lock) -> {
			AtomicBoolean ran = new AtomicBoolean();
			lock.lock();
			Disposable subscription = publishers.patient("1", () -> Mono.fromRunnable(() -> ran.set(true))).subscribe();
			subscription.dispose();
			lock.unlock();
			assertThat(publishers.patient("1", () -> Mono.just("done")).block(SOON)).isEqualTo("done");
			assertThat(ran).isFalse();
		});
	}

	@Test
	void waitingBlocksNoThread() {
		run((publishers, lock) -> {
			lock.lock();
			int parallelism = Schedulers.DEFAULT_POOL_SIZE * 4;
			List<CompletableFuture<String>> waiting = new ArrayList<>();
			for (int i = 0; i < parallelism; i++) {
				waiting.add(
						publishers.patient("1", () -> Mono.just("done")).subscribeOn(Schedulers.parallel()).toFuture());
			}
			assertThat(Mono.fromCallable(() -> "free").subscribeOn(Schedulers.parallel()).block(SOON))
				.isEqualTo("free");
			assertThat(waiting).noneMatch(CompletableFuture::isDone);
			lock.unlock();
			for (CompletableFuture<String> each : waiting) {
				assertThat(each.get(10, TimeUnit.SECONDS)).isEqualTo("done");
			}
		});
	}

	@Test
	void workRunsOnAThreadOfReactor() {
		run((publishers, lock) -> {
			AtomicReference<String> thread = new AtomicReference<>();
			publishers.mono("1", () -> Mono.fromRunnable(() -> thread.set(Thread.currentThread().getName())))
				.block(SOON);
			assertThat(thread.get()).startsWith("parallel-");
		});
	}

	@Test
	void contentionIsSignalled() {
		run((publishers, lock) -> {
			lock.lock();
			Mono<String> mono = publishers.mono("1", () -> Mono.just("done"));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> mono.block(SOON))
				.withMessageContaining("'disLock:1' for PublisherCallTests.Publishers.mono(");
			lock.unlock();
			assertThat(mono.block(SOON)).isEqualTo("done");
		});
	}

	@Test
	void skippedCallIsEmpty() {
		run((publishers, lock) -> {
			lock.lock();
			assertThat(publishers.skip("1", () -> Mono.just("done")).block(SOON)).isNull();
			lock.unlock();
			assertThat(publishers.skip("1", () -> Mono.just("done")).block(SOON)).isEqualTo("done");
		});
	}

	@Test
	void fallbackGivesThePublisher() {
		run((publishers, lock) -> {
			lock.lock();
			assertThat(publishers.fallback("1").collectList().block(SOON)).containsExactly("fallback", "1");
			lock.unlock();
			assertThat(publishers.fallback("1").collectList().block(SOON)).containsExactly("done");
		});
	}

	@Test
	void notAcquiredExceptionOfTheWorkIsNotTakenForContention() {
		run((publishers, lock) -> {
			LockNotAcquiredException failure = new LockNotAcquiredException("another lock");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> publishers.skip("1", () -> Mono.error(failure)).block(SOON))
				.isSameAs(failure);
		});
	}

	@Test
	void keyThatCannotBeBuiltIsSignalled() {
		run((publishers, lock) -> {
			Mono<String> mono = publishers.mono(null, Mono::empty);
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> mono.block(SOON));
		});
	}

	@Test
	void nestedCallEntersTheSameLock() {
		run((publishers, lock) -> {
			Mono<String> nested = publishers.mono("1", () -> publishers.mono("1", () -> Mono.just("inner"))
				.map((value) -> value + (lock.isLocked() ? " locked" : " unlocked")));
			assertThat(nested.block(SOON)).isEqualTo("inner locked");
			awaitFree(lock);
		});
	}

	@Test
	void nestedCallThatOutlivesTheOuterOneKeepsTheLock() {
		run((publishers, lock) -> {
			Sinks.One<String> work = Sinks.one();
			CountDownLatch entered = new CountDownLatch(1);
			AtomicReference<CompletableFuture<String>> inner = new AtomicReference<>();
			publishers.mono("1", () -> Mono.deferContextual((context) -> {
				inner.set(publishers.mono("1", () -> {
					entered.countDown();
					return work.asMono();
				}).contextWrite(context).toFuture());
				return Mono.fromCallable(() -> entered.await(10, TimeUnit.SECONDS) ? "outer" : "late")
					.subscribeOn(Schedulers.boundedElastic());
			})).block(SOON);
			assertThat(lock.isLocked()).isTrue();
			work.tryEmitValue("inner");
			assertThat(inner.get().get(10, TimeUnit.SECONDS)).isEqualTo("inner");
			awaitFree(lock);
		});
	}

	@Test
	void nestedCallKeepsItsOwnWordOnALoss() {
		run((publishers, lock) -> {
			Sinks.One<String> work = Sinks.one();
			CompletableFuture<Void> begun = new CompletableFuture<>();
			Mono<String> nested = publishers.shortly("1", () -> publishers.failing("1", () -> {
				begun.complete(null);
				return work.asMono();
			}).onErrorResume(LockLostException.class, (ex) -> Mono.just("lost inside")));
			CompletableFuture<String> result = nested.toFuture();
			begun.get(10, TimeUnit.SECONDS);
			awaitFree(lock);
			work.tryEmitValue("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("lost inside");
		});
	}

	@Test
	void callsSideBySideDoNotEnterEachOthersLock() {
		run((publishers, lock) -> {
			AtomicInteger inside = new AtomicInteger();
			Mono<Integer> alone = publishers.patient("1",
					() -> Mono.fromSupplier(inside::incrementAndGet).delayElement(Duration.ofMillis(2)).map((count) -> {
						inside.decrementAndGet();
						return String.valueOf(count);
					}))
				.map(Integer::valueOf);
			assertThat(Flux.range(0, 20).flatMap((i) -> alone).collectList().block(SOON)).hasSize(20).containsOnly(1);
		});
	}

	@Test
	void contextOfTheWorkShowsTheLock() {
		run((publishers, lock) -> {
			Mono<String> mono = publishers.mono("1", () -> Mono.deferContextual((context) -> {
				LockContext held = context.get(LockContext.class);
				held.assertHeld();
				return Mono.just(held.key());
			}));
			assertThat(mono.block(SOON)).isEqualTo("disLock:1");
		});
	}

	@Test
	void propagatedContextShowsTheLockOnEveryThread() {
		Hooks.enableAutomaticContextPropagation();
		try {
			run((publishers, lock) -> {
				Mono<String> mono = publishers.mono("1",
						() -> Mono.just("done")
							.publishOn(Schedulers.boundedElastic())
							.map((value) -> LockContext.current().key()));
				assertThat(mono.map((key) -> key + LockContext.find().isPresent()).block(SOON))
					.isEqualTo("disLock:1false");
			});
		}
		finally {
			Hooks.disableAutomaticContextPropagation();
		}
	}

	@Test
	void lossFailsACallThatWouldHaveSucceeded() {
		run((publishers, lock) -> {
			Sinks.One<String> work = Sinks.one();
			CompletableFuture<String> result = publishers.failing("1", work::asMono).toFuture();
			awaitLocked(lock);
			awaitFree(lock);
			work.tryEmitValue("done");
			assertThat(result).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockLostException.class);
			assertThat(publishers.failing("1", () -> Mono.just("done")).block(SOON)).isEqualTo("done");
		});
	}

	@Test
	void lossEndsWorkThatIsToBeInterrupted() {
		run((publishers, lock) -> {
			AtomicBoolean cancelled = new AtomicBoolean();
			Flux<String> flux = publishers.interrupted("1",
					() -> Flux.<String>never().doOnCancel(() -> cancelled.set(true)));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> flux.blockLast(SOON));
			assertThat(cancelled).isTrue();
		});
	}

	@Test
	void lossEndsAMonoThatIsToBeInterrupted() {
		run((publishers, lock) -> {
			AtomicBoolean cancelled = new AtomicBoolean();
			Mono<String> mono = publishers.interruptedMono("1",
					() -> Mono.<String>never().doOnCancel(() -> cancelled.set(true)));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> mono.block(SOON));
			assertThat(cancelled).isTrue();
			assertThat(publishers.interruptedMono("1", () -> Mono.just("done")).block(SOON)).isEqualTo("done");
			assertThat(publishers.interrupted("1", () -> Flux.just("a", "b")).collectList().block(SOON)).hasSize(2);
		});
	}

	@Test
	void cancellationAtAnyMomentLeavesNothingLocked() {
		run((publishers, lock) -> {
			AtomicInteger inside = new AtomicInteger();
			AtomicInteger overlaps = new AtomicInteger();
			AtomicInteger runs = new AtomicInteger();
			Mono<String> mono = publishers.patient("1", () -> {
				runs.incrementAndGet();
				if (inside.getAndIncrement() != 0 || !LockContext.current().isHeld()) {
					overlaps.incrementAndGet();
				}
				Thread.onSpinWait();
				inside.decrementAndGet();
				return Mono.just("done");
			});
			for (int i = 0; i < 2000; i++) {
				Disposable first = mono.subscribe();
				Disposable second = mono.subscribe();
				for (int spin = 0; spin < (i % 50) * 200; spin++) {
					Thread.onSpinWait();
				}
				second.dispose();
				first.dispose();
			}
			awaitFree(lock);
			assertThat(runs).hasPositiveValue();
			assertThat(overlaps).hasValue(0);
			assertThat(mono.block(SOON)).isEqualTo("done");
		});
	}

	private static void awaitLocked(DistributedLock lock) {
		await().atMost(SOON).pollInterval(Duration.ofMillis(1)).until(lock::isLocked);
	}

	private static void awaitFree(DistributedLock lock) {
		await().atMost(SOON).until(() -> !lock.isLocked());
	}

	private void run(Check check) {
		this.contextRunner.run((context) -> check.run(context.getBean(Publishers.class),
				context.getBean(DistributedLocks.class).get("disLock:1")));
	}

	interface Check {

		void run(Publishers publishers, DistributedLock lock) throws Exception;

	}

	interface Declared {

		@DistributedLockable(key = "#id")
		Mono<String> mono(String id, Supplier<Mono<String>> work);

	}

	static class Implemented implements Declared {

		@Override
		public Mono<String> mono(String id, Supplier<Mono<String>> work) {
			return work.get();
		}

	}

	static class Publishers {

		@DistributedLockable(key = "#id")
		Mono<String> mono(@Nullable String id, Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLockable(key = "#id")
		Flux<String> flux(String id, Supplier<Flux<String>> work) {
			return work.get();
		}

		@DistributedLockable(key = "#id", waitTime = 60)
		Mono<String> patient(String id, Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLockable(key = "#id", onFailure = OnFailure.SKIP)
		Mono<String> skip(String id, Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLockable(key = "#id", fallback = "instead")
		Flux<String> fallback(String id) {
			return Flux.just("done");
		}

		Flux<String> instead(String id) {
			return Flux.just("fallback", id);
		}

		@DistributedLockable(key = "#id", expire = 100, unit = TimeUnit.MILLISECONDS)
		Mono<String> shortly(String id, Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLockable(key = "#id", expire = 100, unit = TimeUnit.MILLISECONDS, onLost = OnLost.FAIL)
		Mono<String> failing(String id, Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLockable(key = "#id", expire = 50, unit = TimeUnit.MILLISECONDS, onLost = OnLost.INTERRUPT)
		Flux<String> interrupted(String id, Supplier<Flux<String>> work) {
			return work.get();
		}

		@DistributedLockable(key = "#id", expire = 50, unit = TimeUnit.MILLISECONDS, onLost = OnLost.INTERRUPT)
		Mono<String> interruptedMono(String id, Supplier<Mono<String>> work) {
			return work.get();
		}

	}

}
