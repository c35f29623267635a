package io.lockable.redis;

import java.time.Duration;
import java.util.List;

import io.lockable.Lease;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ForcedRelease;
import io.lockable.store.StoredLock;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The inspection of locks that other owners hold, and their forced release.
 */
@Tag("servers")
@ParameterizedClass
@EnumSource
class LookIntegrationTests {

	private final RedisTestServer server = RedisServers.shared();

	private final Instance instance;

	private final String key = Instance.newKey();

	LookIntegrationTests(RedisClients client) {
		this.instance = Instance.start(client, this.server);
	}

	@AfterEach
	void close() {
		this.instance.close();
	}

	private StoredLock look() {
		return this.instance.engine().look(this.key);
	}

	@Test
	void handWrittenLockIsFoundAndReleased() {
		assertThat(this.server.call("SET", this.key, "their own value", "NX", "PX", "60000")).isEqualTo("OK");
		StoredLock.Holder holder = look().holders().get(0);
		assertThat(holder.owner()).isEqualTo("their own value");
		assertThat(holder.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
		ForcedRelease forced = this.instance.engine().forceRelease(this.key);
		assertThat(forced.released()).extracting(StoredLock.Holder::owner).containsExactly("their own value");
		assertThat(this.server.call("EXISTS", this.key)).isEqualTo("0");
	}

	@Test
	void emptyAndLongValuesAreFound() {
		this.server.call("SET", this.key, "");
		assertThat(look().holders()).extracting(StoredLock.Holder::owner).containsExactly("");
		String longest = "0123456789abcdef".repeat(32);
		this.server.call("SET", this.key, longest);
		assertThat(look().holders()).extracting(StoredLock.Holder::owner).containsExactly(longest);
	}

	@Test
	void whatIsTooLongForAnOwnerIsAFailure() {
		this.server.call("SET", this.key, "0123456789abcdef".repeat(32) + "g");
		assertThat(this.instance.get(this.key).isLocked()).isTrue();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this::look)
			.withMessageContaining("512 bytes")
			.withMessageContaining(this.key)
			.withMessageNotContaining("0123456789");
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.instance.engine().forceRelease(this.key));
		assertThat(this.server.call("EXISTS", this.key)).isEqualTo("1");
	}

	@Test
	void whatIsNoTextIsAFailure() {
		// The first bytes of Java serialization
		this.server.call("EVAL", "return redis.call('SET', KEYS[1], '\\172\\237\\000\\005t\\000\\002me')", "1",
				this.key);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this::look)
			.withMessageContaining("not UTF-8 text")
			.withMessageContaining(this.key);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.instance.engine().forceRelease(this.key));
		assertThat(this.server.call("EXISTS", this.key)).isEqualTo("1");
	}

	@Test
	void whatIsNoLockIsAFailure() {
		this.server.call("HSET", this.key, "field", "value");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this::look)
			.withMessageContaining("WRONGTYPE")
			.withMessageContaining(this.key);
	}

	@Test
	void keyOfACompanionIsRefused() {
		Lease held = this.instance.get(this.key, LockOptions.defaults()).tryAcquire().orElseThrow();
		String companion = "{" + this.key + "}:fence";
		assertThat(this.server.call("EXISTS", companion)).isEqualTo("1");
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.instance.get(companion))
			.withMessageContaining(companion)
			.withMessageContaining("':fence'");
		assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> this.instance.engine().getAll(List.of("another", companion), LockOptions.defaults()));
		assertThat(held.release()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a}b", "{tag}", "{}", "{", "a/b//c", " a b ", "\u00fc\u20ac\ud83d\ude00" })
	void keyMayBeAnything(String suffix) {
		String any = this.key + suffix;
		Lease held = this.instance.get(any, LockOptions.defaults()).tryAcquire().orElseThrow();
		assertThat(this.instance.engine().look(any).holders()).extracting(StoredLock.Holder::owner)
			.containsExactly(held.owner());
		assertThat(this.instance.engine().forceRelease(any).released()).hasSize(1);
		assertThat(held.isHeld()).isFalse();
		assertThat(this.instance.engine().look(any).isHeld()).isFalse();
	}

}
