package io.lockable.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.InMemoryLockStore;
import jdk.jfr.Configuration;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the events of JDK Flight Recorder.
 */
class FlightRecorderTests {

	private static final String WAIT = "io.lockable.LockWait";

	private static final String HOLD = "io.lockable.LockHold";

	private static final Duration LONG = Duration.ofMillis(100);

	private static final LockOptions PATIENT = LockOptions.defaults()
		.withName("orders")
		.withWaitTime(Duration.ofSeconds(20));

	@TempDir
	private Path folder;

	private final InMemoryLockStore store = new InMemoryLockStore();

	@AutoClose
	private final LockEngine engine = LockEngine.builder(this.store).build();

	@AutoClose
	private final Recording recording = new Recording();

	@Test
	void waitsAndHoldsOfTwoThreadsAreRecordedWithTheirDurations() throws Exception {
		record();
		DistributedLock lock = this.engine.get("k", PATIENT);
		Waiter waiter = new Waiter(lock);
		long held = System.nanoTime();
		lock.lock();
		Lease lease = lock.lease();
		waiter.start();
		await().until(() -> !this.engine.waiting().isEmpty());
		long waiting = System.nanoTime();
		await().pollDelay(LONG).until(() -> true);
		long released = System.nanoTime();
		lock.unlock();
		waiter.join();
		held = System.nanoTime() - held;
		List<RecordedEvent> events = stop();
		assertThat(of(events, WAIT)).hasSize(2)
			.first()
			.satisfies((event) -> assertThat(event.getString("handOff")).isEqualTo("none"));
		assertThat(of(events, WAIT)).last().satisfies((event) -> {
			assertThat(event.getString("key")).isEqualTo("k");
			assertThat(event.getString("name")).isEqualTo("orders");
			assertThat(event.getString("outcome")).isEqualTo("acquired");
			assertThat(event.getString("handOff")).isEqualTo("local");
			assertThat(event.getLong("fencingToken")).isEqualTo(waiter.token).isGreaterThan(lease.fencingToken());
			assertThat(event.getString("caller")).isEqualTo("waiter");
			assertThat(event.getThread().getJavaName()).isEqualTo("waiter");
			assertThat(methods(event)).contains("Waiter.run");
			assertThat(event.getDuration()).isBetween(Duration.ofNanos(released - waiting), waiter.waited);
		});
		Duration longest = Duration.ofNanos(held);
		assertThat(of(events, HOLD)).hasSize(2).first().satisfies((event) -> {
			assertThat(event.getString("outcome")).isEqualTo("released");
			assertThat(event.getLong("fencingToken")).isEqualTo(lease.fencingToken());
			assertThat(event.getThread().getJavaName()).isEqualTo(Thread.currentThread().getName());
			assertThat(event.getDuration()).isBetween(Duration.ofNanos(released - waiting), longest);
		});
		assertThat(events).allSatisfy((event) -> {
			assertThat(lease.owner()).contains(':' + event.getString("instance") + '-');
			assertThat(event.toString()).doesNotContain(lease.owner());
		});
	}

	@Test
	void waitForAnotherInstanceIsRecordedByDefault() throws Exception {
		try (LockEngine other = LockEngine.builder(this.store.peer()).build()) {
			Lease lease = other.get("k", PATIENT).acquire();
			this.recording.setSettings(Configuration.getConfiguration("default").getSettings());
			this.recording.start();
			Waiter waiter = new Waiter(this.engine.get("k", PATIENT));
			waiter.start();
			await().until(() -> other.look("k").waiting() == 1);
			long waiting = System.nanoTime();
			await().pollDelay(LONG).until(() -> true);
			Duration least = Duration.ofNanos(System.nanoTime() - waiting);
			lease.release();
			waiter.join();
			assertThat(of(stop(), WAIT)).singleElement().satisfies((event) -> {
				assertThat(event.getString("handOff")).isEqualTo("remote");
				assertThat(event.getThread().getJavaName()).isEqualTo("waiter");
				assertThat(event.getDuration()).isBetween(least, waiter.waited);
			});
		}
	}

	@Test
	void eventsBelongToTheThreadThatWaitsAndReleasesAlsoIfAnotherOneAnswers() throws Exception {
		try (ScriptedInstance scripted = new ScriptedInstance()) {
			record();
			Waiter waiter = new Waiter(scripted.engine.get("k", PATIENT));
			waiter.start();
			scripted.store.take(Command.ACQUIRE).grant(1);
			scripted.store.take(Command.RELEASE).say(true);
			waiter.join();
			CompletableFuture<Lease> async = scripted.acquire(PATIENT);
			scripted.store.take(Command.ACQUIRE).grant(2);
			ScriptedInstance.get(async);
			List<RecordedEvent> events = stop();
			assertThat(events).extracting((event) -> event.getThread().getJavaName())
				.filteredOn("waiter"::equals)
				.hasSize(2);
			assertThat(of(events, WAIT)).extracting((event) -> event.getString("caller"))
				.containsExactly("waiter", "async, " + Thread.currentThread().getName());
			assertThat(of(events, HOLD)).hasSize(1);
		}
	}

	@Test
	void eachOutcomeIsRecordedOnce() throws Exception {
		record();
		LockOptions once = PATIENT.withWaitTime(Duration.ZERO);
		Lease lease = this.engine.get("k", once).acquire();
		assertThat(this.engine.get("k", once).tryAcquire()).isEmpty();
		assertThat(this.engine.get("k", once).tryAcquire(Duration.ofMillis(1))).isEmpty();
		CompletableFuture<Lease> cancelled = this.engine.get("k", PATIENT).acquireAsync();
		await().until(() -> !this.engine.waiting().isEmpty());
		cancelled.cancel(true);
		await().until(() -> this.engine.waiting().isEmpty());
		lease.release();
		Lease expiring = this.engine.get("l", once.withLease(LONG).withRenewal(Renewal.OFF)).acquire();
		await().until(() -> expiring.lost().toCompletableFuture().isDone());
		expiring.release();
		List<RecordedEvent> events = stop();
		assertThat(of(events, WAIT)).extracting((event) -> event.getString("outcome"))
			.containsExactly("acquired", "refused", "timed_out", "cancelled", "acquired");
		assertThat(of(events, HOLD)).extracting((event) -> event.getString("outcome"))
			.containsExactly("released", "expired");
	}

	@Test
	void nothingIsRecordedBelowTheThresholdOrWhileDisabled() throws Exception {
		this.recording.enable(WAIT).withThreshold(Duration.ofMinutes(1));
		this.recording.disable(HOLD);
		this.recording.start();
		this.engine.get("k", PATIENT).acquire().release();
		assertThat(stop()).isEmpty();
	}

	@Test
	void eventsStandBesideThoseOfMonitors() {
		this.engine.get("k").lock();
		List<EventType> types = FlightRecorder.getFlightRecorder().getEventTypes();
		List<String> category = type(types, "jdk.JavaMonitorEnter").getCategoryNames();
		assertThat(Stream.of(WAIT, HOLD).map((name) -> type(types, name))).allSatisfy((type) -> {
			assertThat(type.getCategoryNames()).isEqualTo(category);
			assertThat(type.getLabel()).startsWith("Distributed Lock ");
			assertThat(type.getSettingDescriptors())
				.anySatisfy((setting) -> assertThat(setting.getDefaultValue()).isEqualTo("10 ms"));
		});
	}

	@Test
	void locksNeedNoFlightRecorder() throws Exception {
		bareApplication(false, "--limit-modules", "java.se");
	}

	@Test
	void locksDoNotInitializeFlightRecorder() throws Exception {
		assertThat(bareApplication(true, "-Xlog:class+load")).contains("engine.shell.FlightRecorder ")
			.doesNotContain("jdk.jfr.EventType");
	}

	private static String bareApplication(boolean withFlightRecorder, String... options) throws Exception {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
		command.addAll(List.of(options));
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), BareApplication.class.getName(),
				Boolean.toString(withFlightRecorder)));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		try {
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
			assertThat(process.exitValue()).as(output).isZero();
			return output;
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static EventType type(List<EventType> types, String name) {
		return types.stream().filter((type) -> type.getName().equals(name)).findFirst().orElseThrow();
	}

	private void record() {
		this.recording.enable(WAIT).withThreshold(Duration.ZERO);
		this.recording.enable(HOLD).withThreshold(Duration.ZERO);
		this.recording.start();
	}

	private List<RecordedEvent> stop() throws IOException {
		this.recording.stop();
		Path file = this.folder.resolve("locks.jfr");
		this.recording.dump(file);
		return RecordingFile.readAllEvents(file)
			.stream()
			.filter((event) -> event.getEventType().getName().startsWith("io.lockable."))
			.sorted(Comparator.comparing(RecordedEvent::getStartTime))
			.toList();
	}

	private static List<RecordedEvent> of(List<RecordedEvent> events, String type) {
		return events.stream().filter((event) -> event.getEventType().getName().equals(type)).toList();
	}

	private static List<String> methods(RecordedEvent event) {
		return event.getStackTrace()
			.getFrames()
			.stream()
			.map((frame) -> frame.getMethod().getType().getName().replaceAll(".*[.$]", "") + '.'
					+ frame.getMethod().getName())
			.toList();
	}

	/**
	 * A thread that locks and unlocks once.
	 */
	private static final class Waiter extends Thread {

		private final DistributedLock lock;

		private Duration waited = Duration.ZERO;

		private long token;

		Waiter(DistributedLock lock) {
			super("waiter");
			this.lock = lock;
		}

		@Override
		public void run() {
			long start = System.nanoTime();
			this.lock.lock();
			this.waited = Duration.ofNanos(System.nanoTime() - start);
			this.token = this.lock.lease().fencingToken();
			this.lock.unlock();
		}

	}

}
