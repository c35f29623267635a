package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.Lease;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the detection of lost leases.
 */
@SuppressWarnings("LockNotBeforeTry")
class LossTests {

	private static final LockOptions UNRENEWED = ScriptedInstance.ONCE.withRenewal(Renewal.OFF);

	private static final Duration LEASE = UNRENEWED.lease();

	private final Gate gate = new Gate();

	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	@AfterEach
	void close() {
		this.gate.open();
		this.instance.close();
	}

	@Test
	void lossIsToldAtTheLocalDeadlineAndNotBefore() {
		Lease lease = this.instance.hold(UNRENEWED);
		this.instance.advance(LEASE.minusMillis(100));
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.lost().toCompletableFuture()).isNotDone();
		this.instance.advance(Duration.ofMillis(50));
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.remaining()).isZero();
		LockLost lost = ScriptedInstance.get(lease.lost().toCompletableFuture());
		assertThat(lost).isEqualTo(new LockLost("k", LockOptions.NO_NAME, 1, LockLost.Reason.EXPIRED));
	}

	@Test
	void localDeadlineCountsFromTheSendingOfTheCommand() {
		CompletableFuture<Lease> acquired = this.instance.acquire(UNRENEWED);
		this.instance.clock.advance(Duration.ofMillis(500));
		this.store.take(Command.ACQUIRE).grant(1);
		assertThat(ScriptedInstance.get(acquired).remaining()).isLessThan(LEASE.minusMillis(500));
	}

	@Test
	void lossIsToldWhenTheServerSaysSo() {
		Lease lease = this.instance.hold(ScriptedInstance.ONCE);
		this.instance.advance(LEASE.dividedBy(3));
		this.store.take(Command.EXTEND).say(false);
		assertThat(lease.isHeld()).isFalse();
		assertThat(ScriptedInstance.get(lease.lost().toCompletableFuture()).reason())
			.isEqualTo(LockLost.Reason.NOT_OWNED);
	}

	@Test
	void warningOfALossHasTheNameOfTheLock() {
		Logger logger = (Logger) LoggerFactory.getLogger("io.lockable.engine.shell.LeaseReports");
		ListAppender<ILoggingEvent> warnings = new ListAppender<>();
		warnings.start();
		logger.addAppender(warnings);
		try {
			this.instance.hold(UNRENEWED.withName("payments"));
			this.instance.advance(LEASE);
			this.instance.awaitLoss(LockLost.Reason.EXPIRED);
			assertThat(warnings.list).singleElement()
				.extracting(ILoggingEvent::getFormattedMessage)
				.asString()
				.startsWith("Lock 'k' (payments) is lost");
		}
		finally {
			logger.detachAppender(warnings);
		}
	}

	@Test
	void lossIsWarnedAndToldOnce() {
		Logger logger = (Logger) LoggerFactory.getLogger("io.lockable.engine.shell.LeaseReports");
		ListAppender<ILoggingEvent> warnings = new ListAppender<>();
		warnings.start();
		logger.addAppender(warnings);
		try {
			Lease lease = this.instance.hold(UNRENEWED);
			this.instance.advance(LEASE);
			this.instance.awaitLoss(LockLost.Reason.EXPIRED);
			assertThat(lease.release()).isFalse();
			assertThat(lease.release()).isFalse();
			this.instance.advance(LEASE);
			ScriptedInstance.get(lease.lost().toCompletableFuture());
			this.instance.awaitLoss(LockLost.Reason.EXPIRED);
			assertThat(warnings.list).hasSize(1)
				.first()
				.extracting(ILoggingEvent::getFormattedMessage)
				.asString()
				.contains("'k' is lost")
				.doesNotContain(lease.owner());
		}
		finally {
			logger.detachAppender(warnings);
		}
	}

	@Test
	void lostCompletesOnAThreadOfTheEngineThatIsNeitherTheTimerNorTheCallers() {
		Lease lease = this.instance.hold(UNRENEWED);
		CompletableFuture<String> thread = lease.lost()
			.thenApply((lost) -> Thread.currentThread().getName())
			.toCompletableFuture();
		this.instance.advance(LEASE);
		assertThat(ScriptedInstance.get(thread)).startsWith("lockable-callback");
	}

	@Test
	void lostCannotBeCompletedFromOutside() {
		Lease lease = this.instance.hold(UNRENEWED);
		lease.lost().toCompletableFuture().complete(new LockLost("k", LockOptions.NO_NAME, 1, LockLost.Reason.EXPIRED));
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.lost().toCompletableFuture()).isNotDone();
	}

	@Test
	void lostNeverCompletesAfterARelease() {
		this.store.answering(Command.RELEASE, (call) -> call.say(true));
		Lease lease = this.instance.hold(UNRENEWED);
		lease.close();
		this.instance.advance(LEASE);
		this.instance.awaitIdle();
		assertThat(lease.lost().toCompletableFuture()).isNotDone();
		assertThat(this.instance.losses).isEmpty();
	}

	@Test
	void lostLeaseIsAbandonedAndTheNextWaiterAsks() {
		Lease lease = this.instance.hold(UNRENEWED);
		CompletableFuture<Lease> next = this.instance.acquire(ScriptedInstance.WAITING);
		this.instance.advance(LEASE);
		assertThat(this.store.take(Command.WITHDRAW).owner()).isEqualTo(lease.owner());
		this.store.take(Command.ACQUIRE).grant(11);
		assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
	}

	@Test
	void newcomerAfterTheDeadlineAsksEvenBeforeTheTimerHasSeenTheLoss() {
		this.instance.hold(UNRENEWED);
		this.instance.clock.advance(LEASE);
		CompletableFuture<Lease> next = this.instance.acquire(ScriptedInstance.ONCE);
		this.store.take(Command.ACQUIRE).grant(11);
		assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
	}

	@Test
	void releaseOfAnExpiredOwnerDoesNotTouchTheNextOwner() {
		TestClock clock = new TestClock();
		InMemoryLockStore shared = new InMemoryLockStore(clock);
		try (LockEngine one = LockEngine.builder(shared).clock(clock).build();
				LockEngine two = LockEngine.builder(shared.peer()).clock(clock).build()) {
			Lease expired = one.get("k", UNRENEWED).tryAcquire().orElseThrow();
			clock.advance(LEASE);
			Lease next = two.get("k", UNRENEWED).tryAcquire().orElseThrow();
			assertThat(expired.release()).isFalse();
			assertThat(next.extend(LEASE)).isTrue();
			assertThat(next.fencingToken()).isGreaterThan(expired.fencingToken());
			assertThat(next.release()).isTrue();
		}
	}

	@Test
	void bodyWhoseLeaseWasLostStillReturnsItsResult() throws Exception {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		String result = this.instance.engine.get("k", UNRENEWED).call(() -> {
			this.instance.advance(LEASE);
			return "done";
		});
		assertThat(result).isEqualTo("done");
		this.instance.awaitLoss(LockLost.Reason.EXPIRED);
	}

	@Test
	void bodyThatFailsAfterALossCarriesTheLoss() {
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		assertThatIllegalStateException().isThrownBy(() -> this.instance.engine.get("k", UNRENEWED).run(() -> {
			this.instance.advance(LEASE);
			throw new IllegalStateException("body");
		}))
			.withMessage("body")
			.satisfies(
					(ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockLostException.class).hasSize(1));
	}

	@Test
	void listenerThatThrowsHarmsNeitherLocksNorOtherListeners() {
		LockListener failing = (event) -> {
			throw new IllegalStateException("listener");
		};
		try (ScriptedInstance other = new ScriptedInstance(failing)) {
			other.hold(UNRENEWED);
			other.advance(LEASE);
			other.awaitLoss(LockLost.Reason.EXPIRED);
			CompletableFuture<Lease> next = other.acquire(UNRENEWED);
			other.store.take(Command.ACQUIRE).grant(11);
			assertThat(ScriptedInstance.get(next).isHeld()).isTrue();
		}
	}

	@Test
	void listenerThatBlocksHarmsNoLock() throws Exception {
		LockListener blocking = (event) -> this.gate.pass();
		try (ScriptedInstance other = new ScriptedInstance(blocking)) {
			Lease lease = other.hold(UNRENEWED);
			other.advance(LEASE);
			this.gate.awaitReached();
			lease.lost().toCompletableFuture().get(5, TimeUnit.SECONDS);
			CompletableFuture<Lease> next = other.acquire(ScriptedInstance.ONCE);
			other.store.take(Command.ACQUIRE).grant(11);
			Lease second = ScriptedInstance.get(next);
			other.advance(LEASE.dividedBy(3));
			other.store.take(Command.EXTEND).say(true);
			other.store.answering(Command.RELEASE, (call) -> call.say(true));
			assertThat(second.release()).isTrue();
			this.gate.open();
		}
	}

}
