package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AutoClose;
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

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

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
	void lossIsWarnedAndToldOnce() {
		Logger logger = (Logger) LoggerFactory.getLogger("io.lockable.engine.shell.LocalLease");
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

}
