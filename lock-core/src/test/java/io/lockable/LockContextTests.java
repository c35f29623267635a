package io.lockable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockContext}.
 */
class LockContextTests {

	private final LockEngine engine = LockEngine.builder(new InMemoryLockStore()).build();

	@AfterEach
	void close() {
		assertThat(LockContext.find()).isEmpty();
		this.engine.close();
	}

	@Test
	void outsideOfAnyLockThereIsNoContext() {
		assertThatIllegalStateException().isThrownBy(LockContext::current)
			.withMessageStartingWith("This thread has no lock context");
	}

	@Test
	void callAndRunShowTheirLock() throws Exception {
		DistributedLock lock = this.engine.get("k");
		LockContext called = lock.call(() -> {
			LockContext context = LockContext.current();
			assertThat(context.key()).isEqualTo("k");
			assertThat(context.keys()).containsExactly("k");
			assertThat(context.fencingToken()).isEqualTo(lock.lease().fencingToken());
			assertThat(context.fencingToken("k")).isEqualTo(context.fencingToken());
			assertThat(context.remaining()).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10));
			context.assertHeld();
			return context;
		});
		lock.run(() -> assertThat(LockContext.current().fencingToken()).isGreaterThan(called.fencingToken()));
	}

	@Test
	void nestedCallHasItsOwnContextAndTheOuterOneComesBack() {
		this.engine.get("outer").run(() -> {
			assertThatIllegalStateException().isThrownBy(() -> this.engine.get("inner").run(() -> {
				assertThat(LockContext.current().key()).isEqualTo("inner");
				throw new IllegalStateException("broken");
			}));
			assertThat(LockContext.current().key()).isEqualTo("outer");
		});
	}

	@Test
	void severalLocksHaveTheSameTokenWhereverItIsRead() {
		for (String first : List.of("x,y", "z")) {
			// One of the keys is acquired more often than the other, so its tokens are
			// ahead.
			for (int i = 0; i < 1000; i++) {
				this.engine.get(first).tryAcquire().orElseThrow().close();
			}
			DistributedLock all = this.engine.getAll(List.of("x,y", "z"), LockOptions.defaults());
			all.run(() -> {
				LockContext context = LockContext.current();
				assertThat(context.keys()).containsExactly("x,y", "z").isEqualTo(all.lease().keys());
				assertThat(context.fencingToken()).isEqualTo(all.lease().fencingToken())
					.isEqualTo(Math.max(context.fencingToken("x,y"), context.fencingToken("z")));
				LockContext combined = LockContext.of(all.lease());
				assertThat(combined.keys()).isEqualTo(context.keys());
				assertThat(combined.key()).isEqualTo(context.key());
				assertThat(combined.fencingToken("z")).isEqualTo(context.fencingToken("z"));
			});
		}
	}

	@Test
	void reentrantCallSeesTheSameToken() {
		DistributedLock lock = this.engine.get("k");
		lock.run(() -> {
			long token = LockContext.current().fencingToken();
			lock.run(() -> assertThat(LockContext.current().fencingToken()).isEqualTo(token));
		});
	}

	@Test
	void contextOfABodyThatIsOverIsNotHeld() {
		AtomicReference<LockContext> kept = new AtomicReference<>();
		this.engine.get("k").run(() -> kept.set(LockContext.current()));
		assertThat(kept.get().isHeld()).isFalse();
		assertThat(kept.get().remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> kept.get().assertHeld())
			.withMessageContaining("'k'");
	}

	@Test
	void contextOfSeveralLocksIsHeldWhileAllAre() throws InterruptedException {
		Lease first = this.engine.get("first").acquire();
		Lease second = this.engine.get("second", LockOptions.defaults().withLease(Duration.ofSeconds(2))).acquire();
		LockContext context = LockContext.of(first, second);
		assertThat(context.keys()).containsExactly("first", "second");
		assertThat(context.fencingToken()).isEqualTo(Math.max(first.fencingToken(), second.fencingToken()));
		assertThat(context.fencingToken("first")).isEqualTo(first.fencingToken());
		assertThat(context.fencingToken("second")).isEqualTo(second.fencingToken());
		assertThat(context.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(2));
		assertThatIllegalArgumentException().isThrownBy(() -> context.fencingToken("third"))
			.withMessage("'key' must be one of [first, second], was 'third'");
		second.release();
		assertThat(context.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(context::assertHeld)
			.withMessageContaining("'second'");
		first.release();
	}

	@Test
	void fencedUpdateBindsTheTokenAndReturnsTheRows() {
		this.engine.get("k").run(() -> {
			LockContext context = LockContext.current();
			AtomicLong bound = new AtomicLong();
			assertThat(context.fencedUpdate((fence) -> {
				bound.set(fence);
				return 2;
			})).isEqualTo(2);
			assertThat(bound).hasValue(context.fencingToken());
		});
	}

	@Test
	void fencedUpdateOfNoRowIsStale() {
		this.engine.get("k").run(() -> {
			LockContext context = LockContext.current();
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> context.fencedUpdate((fence) -> 0))
				.isInstanceOf(LockLostException.class)
				.withMessageContaining("'k'")
				.withMessageContaining(String.valueOf(context.fencingToken()));
		});
	}

	@Test
	void extendProlongsTheLeaseOfTheCallAndNeverShortensIt() {
		this.engine.get("k", LockOptions.defaults().withRenewal(Renewal.OFF)).run(() -> {
			LockContext context = LockContext.current();
			assertThat(context.extend(Duration.ofMinutes(5))).isTrue();
			assertThat(context.remaining()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
			assertThat(context.extend(Duration.ofSeconds(1))).isTrue();
			assertThat(context.remaining()).isGreaterThan(Duration.ofMinutes(4));
			assertThatIllegalArgumentException().isThrownBy(() -> context.extend(Duration.ZERO))
				.withMessageContaining("'lease'");
		});
	}

	@Test
	void extendOfANestedCallProlongsItsOwnLockOnly() {
		DistributedLock outer = this.engine.get("outer");
		outer.run(() -> this.engine.get("inner").run(() -> {
			assertThat(LockContext.current().extend(Duration.ofMinutes(5))).isTrue();
			assertThat(LockContext.current().remaining()).isGreaterThan(Duration.ofMinutes(4));
			assertThat(outer.lease().remaining()).isLessThanOrEqualTo(Duration.ofSeconds(10));
		}));
	}

	@Test
	void extendOfSeveralLocksProlongsAllThatAreHeld() throws InterruptedException {
		Lease first = this.engine.get("first").acquire();
		Lease second = this.engine.get("second").acquire();
		LockContext context = LockContext.of(first, second);
		assertThat(context.extend(Duration.ofMinutes(5))).isTrue();
		assertThat(context.remaining()).isGreaterThan(Duration.ofMinutes(4));
		first.release();
		assertThat(context.extend(Duration.ofMinutes(10))).isFalse();
		assertThat(second.remaining()).isGreaterThan(Duration.ofMinutes(9));
		second.release();
	}

	@Test
	void extendAfterTheBodyIsRefused() {
		AtomicReference<LockContext> kept = new AtomicReference<>();
		this.engine.get("k").run(() -> kept.set(LockContext.current()));
		assertThat(kept.get().extend(Duration.ofMinutes(5))).isFalse();
		assertThat(this.engine.get("k").isLocked()).isFalse();
	}

	@Test
	void contextWithoutALeaseIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockContext.of())
			.withMessage("'leases' must not be empty");
	}

	@Test
	void leaseOfAThreadThatHoldsNothingIsRefused() {
		DistributedLock lock = this.engine.get("k");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::lease);
		lock.lock();
		assertThat(lock.lease().isHeld()).isTrue();
		lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::lease);
	}

	@Test
	void threadWhoseLeaseAnotherOneReleasedAcquiresAnew() {
		DistributedLock lock = this.engine.get("k");
		lock.lock();
		long token = lock.lease().fencingToken();
		Lease lease = lock.lease();
		CompletableFuture.runAsync(lease::close, (task) -> new Thread(task).start()).join();
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThat(lock.tryLock()).isTrue();
		assertThat(lock.holdCount()).isOne();
		assertThat(lock.lease().fencingToken()).isGreaterThan(token);
		lock.unlock();
		assertThat(lock.isLocked()).isFalse();
	}

}
