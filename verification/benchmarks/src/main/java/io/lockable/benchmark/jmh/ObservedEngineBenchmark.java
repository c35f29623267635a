package io.lockable.benchmark.jmh;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.autoconfigure.observability.LockMeters;
import io.lockable.autoconfigure.observability.LockObservations;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import jdk.jfr.EventSettings;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures the cost of meters, observations and recordings for an acquisition and its
 * release, in memory.
 */
// The code between lock and unlock cannot fail, and JMH sets the fields.
@SuppressWarnings({ "LockNotBeforeTry", "NullAway.Init" })
public class ObservedEngineBenchmark extends InProcessBenchmark {

	private static final Map<String, Duration> THRESHOLDS = Map.of("recording", Duration.ofMillis(10), "events",
			Duration.ZERO, "stacks", Duration.ZERO);

	/**
	 * The observer: none; meters; an observation registry without handlers; meters, and
	 * observations with timers; Flight Recorder with its default threshold, with each
	 * event, or with each event and its stack.
	 */
	@Param({ "nothing", "meters", "idle", "timers", "recording", "events", "stacks" })
	private String observed;

	// Created only if needed, because it starts Flight Recorder.
	private @Nullable Recording recording;

	private LockEngine locks;

	private DistributedLock free;

	/**
	 * Builds the engine.
	 */
	@Setup
	public void build() {
		MeterRegistry meters = new SimpleMeterRegistry();
		ObservationRegistry observations = ObservationRegistry.create();
		LockEngine.Builder builder = LockEngine.builder(new InMemoryLockStore());
		if (this.observed.equals("meters") || this.observed.equals("timers")) {
			builder.listener(new LockMeters(meters, "benchmark"));
		}
		if (this.observed.equals("timers")) {
			observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		}
		if (this.observed.equals("idle") || this.observed.equals("timers")) {
			builder.listener(new LockObservations(observations, "benchmark"));
		}
		Duration threshold = THRESHOLDS.get(this.observed);
		if (threshold != null) {
			this.recording = new Recording();
			for (String event : List.of("io.lockable.LockWait", "io.lockable.LockHold")) {
				EventSettings settings = this.recording.enable(event).withThreshold(threshold);
				if (this.observed.equals("events")) {
					settings.withoutStackTrace();
				}
			}
			this.recording.start();
		}
		this.locks = builder.build();
		this.free = this.locks.get("free", LockOptions.defaults().withName("benchmark"));
	}

	/**
	 * Closes the engine.
	 */
	@TearDown
	public void close() {
		this.locks.close();
		if (this.recording != null) {
			this.recording.close();
		}
	}

	/**
	 * Locks and unlocks as a thread.
	 */
	@Benchmark
	public void lockAndUnlock() {
		this.free.lock();
		this.free.unlock();
	}

}
