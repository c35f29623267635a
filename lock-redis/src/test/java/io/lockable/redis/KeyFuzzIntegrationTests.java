package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * Random keys on a real server: each works for every operation, or is rejected with a
 * clear message. More seeds: {@code -Dlockable.fuzz.seeds=100}.
 */
@Tag("servers")
@ParameterizedClass
@EnumSource
@Timeout(600)
class KeyFuzzIntegrationTests extends TwoInstances {

	private static final int KEYS = 60;

	private static final String[] PARTS = { "order", "{", "}", "{}", "{a}", ":", "*", "?", "[a-z]", " ", "\n",
			"\r\n2026-01-01 INFO forged", "\u0000", "\u001b[2K", "\u0085", "\u2028", "\u202e", "\ud83d\ude00", "\ud83d",
			"%s", "\\", "'", "\"", "\u00e9", ":fence", ":queue", "1 2 3 ", "-2" };

	@AutoClose
	private final Hiccups hiccups = Hiccups.start();

	KeyFuzzIntegrationTests(RedisClients client) {
		super(client, RedisServers.start());
	}

	@Override
	@AfterEach
	void close() {
		super.close();
		this.server.close();
	}

	@Test
	void keyWorksOrIsRefusedClearly() throws Exception {
		for (long seed = 1; seed <= Long.getLong("lockable.fuzz.seeds", 1); seed++) {
			Random random = new Random(seed);
			try (LogCheck log = new LogCheck()) {
				for (int i = 0; i < KEYS; i++) {
					String description = "seed %d key %d".formatted(seed, i);
					check(key(random), description);
					log.check(description);
				}
			}
		}
	}

	@Test
	void keyOfAHundredKilobytesWorks() throws Exception {
		try (LogCheck log = new LogCheck()) {
			for (String part : List.of("a", "}:", "{a}\n", "\ud83d\ude00")) {
				check(part.repeat(100_000 / part.length()), part);
				log.check(part);
			}
		}
	}

	private void check(String key, String description) throws Exception {
		try {
			this.one.get(key);
		}
		catch (LockKeyException ex) {
			LogCheck.check(ex, description);
			return;
		}
		try {
			use(key);
			share(key);
			useSeveral(key);
			assertNothingIsLeft(key, description);
		}
		catch (LockException | AssertionError ex) {
			fail(description + ": '" + key.substring(0, Math.min(100, key.length())) + "'", ex);
		}
	}

	private void use(String key) throws Exception {
		Lease held = this.one.get(key, LockOptions.defaults()).tryAcquire().orElseThrow();
		assertThat(this.two.get(key).isLocked()).isTrue();
		assertThat(this.two.get(key).tryAcquire()).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.two.get(key).acquire())
			.satisfies((refusal) -> LogCheck.check(refusal, "contention"));
		assertThat(this.two.engine().look(key).holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.owner()).isEqualTo(held.owner()));
		CompletableFuture<Lease> waiting = this.two.get(key, Instance.waiting(Duration.ofSeconds(20)).withFair(true))
			.acquireAsync();
		while (this.one.engine().look(key).waiting() == 0) {
			Thread.onSpinWait();
		}
		long before = System.nanoTime();
		assertThat(held.extend(Duration.ofSeconds(30))).isTrue();
		assertThat(held.release()).isTrue();
		long released = System.nanoTime();
		Lease next = waiting.get(10, TimeUnit.SECONDS);
		// The message, which contains the key, woke the waiter: it polls only after 1.8 s
		assertThat(Duration.ofNanos(System.nanoTime() - released))
			.isLessThan(this.hiccups.allow(Duration.ofMillis(1_500)).plusNanos(5 * (released - before)));
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(next.release()).isTrue();
	}

	private void share(String key) {
		DistributedSemaphore semaphore = this.one.engine().getSemaphore(key, 2, LockOptions.defaults());
		Lease first = semaphore.tryAcquire().orElseThrow();
		Lease second = this.two.engine().getSemaphore(key, 2, LockOptions.defaults()).tryAcquire().orElseThrow();
		assertThat(semaphore.tryAcquire()).isEmpty();
		assertThat(this.two.engine().look(key).holders()).hasSize(2);
		assertThat(first.release()).isTrue();
		assertThat(second.release()).isTrue();
	}

	private void useSeveral(String key) {
		List<String> keys = List.of(key, "another");
		try (Lease lease = this.one.engine().getAll(keys, LockOptions.defaults()).tryAcquire().orElseThrow()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(this.two.get(key).tryAcquire()).isEmpty();
		}
	}

	private void assertNothingIsLeft(String key, String description) {
		try (RedisConnection connection = this.two.template().getRequiredConnectionFactory().getConnection()) {
			byte[][] names = LockKeys.of(key);
			for (int i = 0; i < names.length; i++) {
				Long left = connection.keyCommands().pTtl(names[i]);
				assertThat(left).as("%s: key %d", description, i).isIn((i == 1) ? left : Long.valueOf(-2));
				if (i == 1) {
					assertThat(left).as(description).isBetween(-2L, 121_000L).isNotEqualTo(-1);
				}
			}
			long others = connection.keyCommands()
				.keys("*".getBytes(StandardCharsets.UTF_8))
				.stream()
				.filter((name) -> {
					String text = new String(name, StandardCharsets.UTF_8);
					return !text.endsWith(":fence") || Arrays.equals(name, names[0]);
				})
				.count();
			assertThat(others).as("%s: keys that are no tokens", description).isZero();
		}
	}

	private static String key(Random random) {
		StringBuilder key = new StringBuilder();
		for (int i = random.nextInt(6); i >= 0; i--) {
			key.append(random.nextInt(4) > 0 ? PARTS[random.nextInt(PARTS.length)]
					: String.valueOf((char) random.nextInt(0x10000)));
		}
		return key.toString();
	}

}
