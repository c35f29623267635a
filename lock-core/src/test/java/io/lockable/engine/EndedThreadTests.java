package io.lockable.engine;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Command;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a thread that ends and has not released its lock.
 */
// A missing unlock is the behavior under test.
@SuppressWarnings("LockNotBeforeTry")
class EndedThreadTests {

	private static final LockOptions ONCE = ScriptedInstance.ONCE;

	private static final Duration THIRD = ONCE.lease().dividedBy(3);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final ScriptedInstance instance = new ScriptedInstance(new LockListener() {

		@Override
		public void onEvent(LockEvent event) {
			EndedThreadTests.this.events.add(event);
		}

		@Override
		public boolean listensToAll() {
			return true;
		}

	});

	private final ScriptedStore store = this.instance.store;

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.logged.start();
		logger().addAppender(this.logged);
		this.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
	}

	@AfterEach
	void close() {
		logger().detachAppender(this.logged);
		this.instance.close();
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.lockable.engine.shell.LeaseReports");
	}

	private static void onThreadThatEnds(Runnable body) {
		end(new Thread(body, "forgetful"));
	}

	private static void end(Thread thread) {
		if (thread.getState() == Thread.State.NEW) {
			thread.start();
		}
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void lock() {
		this.instance.engine.get("k", ONCE).lock();
	}

	@Test
	void lockOfAnEndedThreadIsReleasedAtItsNextRenewal() {
		onThreadThatEnds(this::lock);
		this.instance.advance(THIRD.minusMillis(1));
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(Duration.ofMillis(1));
		this.store.take(Command.RELEASE).say(true);
		assertThat(this.store.calls(Command.EXTEND)).isEmpty();
		this.instance.awaitIdle();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.events).last()
				.isInstanceOfSatisfying(LockEvent.Released.class, (released) -> assertThat(released.ours()).isTrue()));
		assertThat(this.instance.losses).isEmpty();
		assertThat(this.logged.list).singleElement().satisfies((event) -> {
			assertThat(event.getLevel()).isEqualTo(Level.WARN);
			assertThat(event.getFormattedMessage()).contains("'k'", "'forgetful'");
		});
	}

	@Test
	void releaseForAnEndedThreadThatFailsIsTriedAgain() {
		onThreadThatEnds(this::lock);
		this.instance.advance(THIRD);
		this.store.take(Command.RELEASE).fail(false);
		this.store.take(Command.WITHDRAW).say(true);
		this.instance.awaitIdle();
		assertThat(this.logged.list).hasSize(1);
	}

	@Test
	void readLockThatAnEndedThreadKeptFromItsWriteLockIsReleased() {
		this.store.answering(Command.DOWNGRADE, (call) -> call.grant(2));
		DistributedReadWriteLock lock = this.instance.engine.getReadWriteLock("k", ONCE);
		onThreadThatEnds(() -> {
			lock.writeLock().lock();
			lock.readLock().lock();
			lock.writeLock().unlock();
		});
		this.instance.advance(THIRD);
		assertThat(this.store.take(Command.RELEASE).owner())
			.isEqualTo(this.store.calls(Command.DOWNGRADE).get(0).other());
	}

	@Test
	void leaseOfAnEndedThreadIsRenewed() {
		CompletableFuture<Lease> acquired = new CompletableFuture<>();
		onThreadThatEnds(() -> acquired.complete(this.instance.engine.get("k", ONCE).tryAcquire().orElseThrow()));
		this.instance.advance(THIRD);
		this.store.take(Command.EXTEND).say(true);
		assertThat(acquired.join().isHeld()).isTrue();
		assertThat(this.logged.list).isEmpty();
	}

	@Test
	void lockOfAnEndedThreadWithoutRenewalExpires() {
		onThreadThatEnds(() -> this.instance.engine.get("k", ONCE.withRenewal(Renewal.OFF)).lock());
		this.instance.advance(ONCE.lease().minusSeconds(1));
		assertThat(this.store.calls(Command.RELEASE)).isEmpty();
		this.instance.advance(Duration.ofSeconds(1));
		this.store.take(Command.WITHDRAW).say(false);
		this.instance.awaitIdle();
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void lockOfAnEndedVirtualThreadIsReleased() {
		end(startVirtualThread(this::lock));
		this.instance.advance(THIRD);
		this.store.take(Command.RELEASE).say(true);
		this.instance.awaitIdle();
		assertThat(this.logged.list).hasSize(1);
	}

	private static Thread startVirtualThread(Runnable body) {
		try {
			return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
		}
		catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
