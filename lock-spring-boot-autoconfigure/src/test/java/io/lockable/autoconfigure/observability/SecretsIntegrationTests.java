package io.lockable.autoconfigure.observability;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.engine.LockEngine;
import io.lockable.spring.request.RequestId;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Ends locks in every possible way, with a marked key, owner and password. It then
 * searches all exported data for the marks.
 */
@Tag("extended")
class SecretsIntegrationTests {

	private static final String KEY = "marked-key";

	private static final String REQUEST = "marked-request";

	private static final String PASSWORD = "marked-password";

	private static final LockOptions OPTIONS = LockOptions.defaults().withName("orders");

	private final RedisTestServer server = RedisServers.start();

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final Recorder observed = new Recorder();

	private final ConcurrentLinkedQueue<String> owners = new ConcurrentLinkedQueue<>();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class, ObservationAutoConfiguration.class,
				DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				LockMetricsAutoConfiguration.class, LockObservationAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.host=" + this.server.host(),
				"spring.data.redis.port=" + this.server.port(), "spring.data.redis.password=" + PASSWORD,
				"distributed-lock.command-timeout=10s", "distributed-lock.shutdown-timeout=0s")
		.withBean(MeterRegistry.class, () -> this.registry)
		.withBean(Recorder.class, () -> this.observed);

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	void noKeyOwnerOrPasswordIsInAnyMeter() {
		this.server.call("CONFIG", "SET", "requirepass", PASSWORD);
		this.contextRunner.run((context) -> RequestId.run(REQUEST,
				() -> exercise(context.getBean(DistributedLocks.class), context.getBean(StringRedisTemplate.class))));
		assertEverythingHappened();
		List<String> exported = Stream
			.concat(this.registry.getMeters().stream().flatMap(SecretsIntegrationTests::texts),
					this.observed.lowCardinality.stream())
			.distinct()
			.toList();
		assertThat(exported).contains("lock.acquisitions", "lock.hold", "orders", "acquire orders",
				"LockStoreException");
		List<String> secrets = new ArrayList<>(List.of(KEY, REQUEST, PASSWORD));
		this.owners.forEach((owner) -> secrets.add(owner.substring(owner.indexOf(':') + 1)));
		assertThat(exported).allSatisfy((text) -> assertThat(text).doesNotContain(secrets));
		// Spans may contain the key and the request id, but never the proof of ownership.
		assertThat(this.observed.highCardinality).contains(KEY, REQUEST)
			.allSatisfy((text) -> assertThat(text).doesNotContain(secrets.subList(2, secrets.size())));
	}

	private void exercise(DistributedLocks locks, StringRedisTemplate template) {
		try {
			contend(locks);
			lose(locks, template);
			failStore(locks, template);
			acquire(locks, OPTIONS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void contend(DistributedLocks locks) throws InterruptedException {
		try (Lease lease = acquire(locks, OPTIONS)) {
			assertThat(locks.get(KEY, OPTIONS).tryAcquire()).isEmpty();
			assertThat(locks.get(KEY, OPTIONS).tryAcquire(Duration.ofMillis(50))).isEmpty();
			CompletableFuture<Lease> waiting = locks.get(KEY, OPTIONS.withWaitTime(Duration.ofMinutes(1)))
				.acquireAsync();
			waiting.cancel(true);
			await().until(() -> count("lock.acquisitions", "cancelled") == 1);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	private void lose(DistributedLocks locks, StringRedisTemplate template) throws InterruptedException {
		Lease expiring = acquire(locks, OPTIONS.withLease(Duration.ofMillis(500)).withRenewal(Renewal.OFF));
		await().until(() -> count("lock.lost", "expired") == 1);
		assertThat(expiring.release()).isFalse();
		Lease deleted = acquire(locks, OPTIONS);
		template.delete(KEY);
		assertThat(deleted.release()).isFalse();
		Lease taken = acquire(locks, OPTIONS);
		((LockEngine) locks).forceRelease(KEY);
		await().until(() -> count("lock.lost", "forced") == 1);
		assertThat(taken.release()).isFalse();
	}

	/**
	 * Puts a list at the lock's key, so that the server rejects each command on it.
	 */
	private void failStore(DistributedLocks locks, StringRedisTemplate template) throws InterruptedException {
		Lease held = acquire(locks, OPTIONS.withLease(Duration.ofSeconds(9)));
		template.delete(KEY);
		template.opsForList().rightPush(KEY, "not a lock");
		template.opsForList().rightPush(KEY + "-2", "not a lock");
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> locks.get(KEY + "-2", OPTIONS).tryAcquire());
		await().until(() -> count("lock.renewals.failed", null) > 0);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(held::release);
		template.delete(List.of(KEY, KEY + "-2"));
	}

	private Lease acquire(DistributedLocks locks, LockOptions options) throws InterruptedException {
		Lease lease = locks.get(KEY, options).acquire();
		this.owners.add(lease.owner());
		return lease;
	}

	private void assertEverythingHappened() {
		for (String outcome : List.of("acquired", "refused", "timed_out", "cancelled", "failed")) {
			assertThat(count("lock.acquisitions", outcome)).as(outcome).isPositive();
		}
		assertThat(this.owners).allMatch((owner) -> owner.startsWith(REQUEST + ':'));
	}

	private double count(String name, String value) {
		return this.registry.get(name)
			.counters()
			.stream()
			.filter((counter) -> value == null
					|| counter.getId().getTags().stream().anyMatch((tag) -> tag.getValue().equals(value)))
			.mapToDouble((counter) -> counter.count())
			.sum();
	}

	private static Stream<String> texts(Meter meter) {
		Meter.Id id = meter.getId();
		return Stream
			.concat(Stream.of(id.getName(), id.getDescription(), id.getBaseUnit()),
					id.getTags().stream().flatMap((tag) -> Stream.of(tag.getKey(), tag.getValue())))
			.filter(Objects::nonNull);
	}

	/**
	 * Records the data of timers and span names, and the further data of spans.
	 */
	static class Recorder implements ObservationHandler<Observation.Context> {

		final ConcurrentLinkedQueue<String> lowCardinality = new ConcurrentLinkedQueue<>();

		final ConcurrentLinkedQueue<String> highCardinality = new ConcurrentLinkedQueue<>();

		@Override
		public void onStart(Observation.Context context) {
			note(context);
		}

		@Override
		public void onStop(Observation.Context context) {
			note(context);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		private void note(Observation.Context context) {
			this.lowCardinality.add(context.getName());
			if (context.getContextualName() != null) {
				this.lowCardinality.add(context.getContextualName());
			}
			for (KeyValue value : context.getLowCardinalityKeyValues()) {
				this.lowCardinality.add(value.getKey());
				this.lowCardinality.add(value.getValue());
			}
			for (KeyValue value : context.getHighCardinalityKeyValues()) {
				this.highCardinality.add(value.getValue());
			}
		}

	}

}
