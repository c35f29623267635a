package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockStoreException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static io.lockable.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The example of {@code docs/testing.md}.
 */
// tag::boot[]
@SpringBootTest
@AutoConfigureDistributedLocks
class CheckoutTests {

	@Autowired
	private Checkout checkout;

	@Autowired
	private DistributedLocks locks;

	@Autowired
	private LockTestClock clock;

	@Autowired
	private LockFaults faults;

	@Test
	void orderThatAnotherCallPaysIsRefused() {
		this.faults.hold("disLock:42");
		this.clock.skipWaits();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.checkout.pay("42"));
	}

	@Test
	void orderIsNotPaidWithoutAStore() {
		this.faults.fail(LockFaults.Command.ACQUIRE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.checkout.pay("42"));
	}

	@Test
	void longPaymentKeepsItsLock() {
		this.checkout.duringPayment(() -> {
			this.clock.advance(Duration.ofMinutes(5));
			assertThat(this.locks.get("disLock:42")).isHeldByCurrentThread();
		});
		this.checkout.pay("42");
		assertThat(this.locks.get("disLock:42")).isFree();
	}

	@Test
	void lostLockIsKnownToItsHolder() {
		Lease lease = this.locks.get("disLock:42").tryAcquire().orElseThrow();
		this.faults.lose("disLock:42");
		assertThat(lease).isLostBecause(LockLost.Reason.NOT_OWNED);
		try (Lease next = this.locks.get("disLock:42").tryAcquire().orElseThrow()) {
			assertThat(next).hasFencingTokenGreaterThan(lease);
		}
	}
	// end::boot[]

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Checkout.class)
	static class Application {

	}

	static class Checkout {

		private final AtomicReference<Runnable> payment = new AtomicReference<>(() -> {
		});

		@DistributedLockable(key = "#order", waitTime = 60)
		void pay(String order) {
			this.payment.getAndSet(() -> {
			}).run();
		}

		void duringPayment(Runnable action) {
			this.payment.set(action);
		}

	}

}
