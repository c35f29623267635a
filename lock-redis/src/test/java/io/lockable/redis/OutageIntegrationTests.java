package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The load on a hanging server, and the time until locks are acquired again.
 */
@Tag("extended")
@ParameterizedClass
@EnumSource
class OutageIntegrationTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration OUTAGE = Duration.ofSeconds(8);

	private static final int TRIES_A_SECOND = 500;

	private static final LockOptions ONCE = LockOptions.defaults().withLease(Duration.ofMinutes(5));

	private final RedisTestServer server = RedisServers.start();

	private final Instance instance;

	private final Hiccups hiccups = Hiccups.start();

	private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();

	private final List<CompletableFuture<Lease>> tries = new CopyOnWriteArrayList<>();

	OutageIntegrationTests(RedisClients client) {
		this.instance = Instance.start(client, this.server,
				(builder) -> builder.commandTimeout(COMMAND_TIMEOUT).shutdownTimeout(Duration.ZERO));
	}

	@AfterEach
	void close() {
		this.pace.shutdownNow();
		this.hiccups.close();
		this.server.resume();
		this.instance.close();
		this.server.close();
	}

	@Test
	void hungServerGetsABoundedNumberOfCommandsAndServesAtOnceAfterwards() throws Exception {
		this.instance.get("warm").tryAcquire().orElseThrow().release();
		long before = scripts();
		this.server.pause();
		tryForAWhile();
		assertThat(this.tries.size()).isGreaterThan(TRIES_A_SECOND);
		for (CompletableFuture<Lease> tried : this.tries) {
			assertThat(tried).failsWithin(this.hiccups.allow(COMMAND_TIMEOUT.multipliedBy(3)))
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class);
		}
		this.server.resume();
		long resumed = System.nanoTime();
		await().until(() -> isFree("next"));
		assertThat(Duration.ofNanos(System.nanoTime() - resumed)).isLessThan(this.hiccups.allow(Duration.ofSeconds(2)));
		await().untilAsserted(() -> assertThat(locked()).isZero());
		// Each early attempt sends its acquisition, its withdrawal, and one retry of the
		// withdrawal
		long sent = scripts() - before;
		assertThat(sent).isLessThan(4L * TRIES_A_SECOND * COMMAND_TIMEOUT.toSeconds() + this.tries.size() / 10);
	}

	private void tryForAWhile() throws InterruptedException {
		AtomicInteger number = new AtomicInteger();
		this.pace.scheduleAtFixedRate(
				() -> this.tries.add(this.instance.get("k" + number.getAndIncrement(), ONCE).acquireAsync()), 0,
				1_000_000 / TRIES_A_SECOND, TimeUnit.MICROSECONDS);
		this.pace.schedule(this.pace::shutdownNow, OUTAGE.toMillis(), TimeUnit.MILLISECONDS);
		assertThat(this.pace.awaitTermination(OUTAGE.multipliedBy(10).toMillis(), TimeUnit.MILLISECONDS)).isTrue();
	}

	private boolean isFree(String key) {
		try {
			return this.instance.get(key, ONCE).tryAcquire().map(Lease::release).orElse(false);
		}
		catch (LockStoreException ex) {
			return false;
		}
	}

	private long locked() {
		return this.server.call("KEYS", "k*").lines().filter(Predicate.not(String::isBlank)).count();
	}

	private long scripts() {
		return this.server.call("INFO", "commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_eval"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll(".*calls=(\\d+).*", "$1")))
			.sum();
	}

}
