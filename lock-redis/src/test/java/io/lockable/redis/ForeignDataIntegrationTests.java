package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for data that other clients leave under the keys of locks.
 */
@Tag("servers")
@ParameterizedClass
@EnumSource
class ForeignDataIntegrationTests extends TwoInstances {

	private final String key = Instance.newKey();

	ForeignDataIntegrationTests(RedisClients client) {
		super(client, RedisServers.shared());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "garbage", "nan", "inf", "-inf", "-1", "1e300", "9223372036854775807", "0x10" })
	void whatIsNoTokenIsReplaced(String stored) {
		this.server.call("SET", companion("fence"), stored);
		Lease first = this.one.get(this.key, LockOptions.defaults()).tryAcquire().orElseThrow();
		assertThat(first.fencingToken()).isBetween(1_000_000_000_000_000L, 4_000_000_000_000_000L);
		this.server.call("SET", companion("fence"), stored);
		assertThat(first.release()).isTrue();
		Lease second = this.two.engine().getSemaphore(this.key, 2, LockOptions.defaults()).tryAcquire().orElseThrow();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(second.release()).isTrue();
		assertThat(Long.parseLong(this.server.call("PTTL", companion("fence")))).isPositive();
	}

	@Test
	void tokensOfSeveralLocksReplaceWhatIsNone() {
		String second = this.key + "-2";
		this.server.call("SET", companion("fence"), "garbage");
		this.server.call("SET", "{" + second + "}:fence", "9223372036854775807");
		Lease lease = this.one.engine()
			.getAll(List.of(this.key, second), LockOptions.defaults())
			.tryAcquire()
			.orElseThrow();
		assertThat(lease.fencingToken(this.key)).isPositive();
		assertThat(lease.fencingToken(second)).isBetween(1L, 4_000_000_000_000_000L);
		assertThat(lease.release()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(longs = { 31_536_000_001L, 9_300_000_000_000L, 9_200_000_000_000_000_000L })
	void holderWithALongExpiryIsAHolder(long expiry) {
		this.server.call("SET", this.key, "somebody", "PX", Long.toString(expiry));
		assertThat(this.one.get(this.key).tryAcquire()).isEmpty();
		for (boolean fair : new boolean[] { true, false }) {
			LockOptions waiting = Instance.waiting(Duration.ofMillis(50)).withFair(fair);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.one.get(this.key, waiting).acquire());
		}
		assertThat(this.one.engine().look(this.key).holders()).hasSize(1);
		this.server.call("DEL", this.key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "inf", "1e300", "9999999999999.5" })
	void holderOfAShareMayHaveAnyScore(String score) {
		DistributedSemaphore semaphore = this.one.engine().getSemaphore(this.key, 3, LockOptions.defaults());
		Lease first = semaphore.tryAcquire().orElseThrow();
		this.server.call("ZADD", companion("holders"), score, "somebody");
		Lease second = semaphore.tryAcquire().orElseThrow();
		assertThat(semaphore.tryAcquire()).isEmpty();
		assertThat(first.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(this.one.engine().look(this.key).holders()).hasSize(3);
		assertThat(first.release()).isTrue();
		assertThat(second.release()).isTrue();
		this.server.call("DEL", this.key, companion("holders"), companion("holder-tokens"));
	}

	@Test
	void waiterWithoutALeaseIsPassedOver() {
		Lease lease = this.one.get(this.key, LockOptions.defaults()).tryAcquire().orElseThrow();
		CompletableFuture<Lease> waiting = this.two.get(this.key, Instance.waiting(Duration.ofSeconds(20)))
			.acquireAsync();
		await().until(() -> !this.server.call("HVALS", companion("waiters")).isEmpty());
		String inbox = this.server.call("HVALS", companion("waiters")).split(" ", 2)[0];
		this.server.call("LPUSH", companion("queue"), "somebody");
		this.server.call("HSET", companion("waiters"), "somebody", inbox + " 0 " + Long.MAX_VALUE + " ");
		assertThat(lease.release()).isTrue();
		assertThat(waiting).succeedsWithin(Duration.ofSeconds(5));
		assertThat(waiting.join().release()).isTrue();
	}

	@Test
	void companionOfAWrongTypeIsNamed() {
		this.server.call("SADD", companion("fence"), "somebody");
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.one.get(this.key, Instance.waiting(Duration.ofMillis(50))).acquire())
			.withMessageContaining("'" + this.key + "'")
			.withMessageContaining("WRONGTYPE")
			.withMessageContaining("Another client has written");
		this.server.call("DEL", companion("fence"));
		await().until(() -> this.two.get(this.key).tryAcquire().isPresent());
	}

	@Test
	void garbageInTheInboxIsLoggedOnOneLine() {
		try (LogCheck log = new LogCheck()) {
			Lease lease = this.one.get(this.key, LockOptions.defaults()).tryAcquire().orElseThrow();
			CompletableFuture<Lease> waiting = this.two.get(this.key, Instance.waiting(Duration.ofSeconds(20)))
				.acquireAsync();
			await().until(() -> !this.server.call("HVALS", companion("waiters")).isEmpty());
			String inbox = this.server.call("HVALS", companion("waiters")).split(" ", 2)[0];
			String[] messages = { "1\n2026-01-01 INFO forged\u001b[2K", "", "1 2 3 4 5 6 7", "1 2 0 4 5 99\n 7",
					"1 2 0 4 9223372036854775807 1 kowner", "1 2 0 4 -5 1 kowner\n", "5 1 0 4 5 1 kowner", "recall",
					"recall ", "recall 1 1", "recall 1 2 3 k", "recall -1 1 1 kho", "recall 1 99\n 1 kho",
					"recall 99999999999 1 1 k", "recall 2147483647 2147483647 2 k", "busy", "busy 5 k", "busy -1 k",
					"busy x k" };
			for (String message : messages) {
				await().until(() -> this.server.call("PUBLISH", inbox, message).equals("1"));
			}
			assertThat(lease.release()).isTrue();
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(5));
			assertThat(waiting.join().release()).isTrue();
			assertThat(log.texts()).anySatisfy((text) -> assertThat(text).contains("99\\u000a"));
			log.check("garbage in the inbox");
		}
	}

	private String companion(String name) {
		return "{" + this.key + "}:" + name;
	}

}
