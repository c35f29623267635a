package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Other clients leave arbitrary data under the keys of locks and of their companions.
 * With any data, a lock is acquired correctly, is held by another owner, or fails with a
 * clear message. More seeds: {@code -Dlockable.fuzz.seeds=100}.
 */
@Tag("servers")
@ParameterizedClass
@EnumSource
@Timeout(600)
class ForeignDataFuzzIntegrationTests extends TwoInstances {

	private static final Duration WAIT = Duration.ofMillis(60);

	private static final int ROUNDS = 400;

	private static final String[] NUMBERS = { "0", "-1", "1", "nan", "-nan", "inf", "-inf", "1e300", "0x10", "",
			"9223372036854775807", "-9223372036854775808", "9007199254740993", "1.5", "99999999999999999999999", " 7 ",
			"1e", "1795392000000000", "8000000000000000" };

	@AutoClose
	private final Hiccups hiccups = Hiccups.start();

	ForeignDataFuzzIntegrationTests(RedisClients client) {
		super(client, RedisServers.shared());
	}

	@Test
	void foreignDataIsNeverAWrongGrantNorAnUnclearFailure() throws Exception {
		for (long seed = 1; seed <= Long.getLong("lockable.fuzz.seeds", 1); seed++) {
			try (LogCheck log = new LogCheck()) {
				Random random = new Random(seed);
				for (int round = 0; round < ROUNDS; round++) {
					String description = "seed %d round %d".formatted(seed, round);
					round(random, description);
					log.check(description);
				}
			}
		}
	}

	private void round(Random random, String description) throws Exception {
		String key = Instance.newKey();
		byte[][] keys = LockKeys.of(key);
		List<String> written = new ArrayList<>();
		written.add(description);
		String holder = "";
		try {
			for (int i = random.nextInt(3); i >= 0; i--) {
				int at = Math.max(0, random.nextInt(keys.length + 1) - 1);
				String content = write(keys[at], random);
				written.add(new String(keys[at], StandardCharsets.UTF_8) + " = " + content);
				holder = (at == 0) ? content : holder;
			}
			use(key, holder, random.nextInt(7), written);
		}
		finally {
			delete(keys);
		}
	}

	private void use(String key, String holder, int kind, List<String> written) throws Exception {
		LockOptions once = LockOptions.defaults();
		LockOptions waiting = Instance.waiting(WAIT);
		String[] kinds = { "try", "wait", "fair", "read", "write", "semaphore", "several" };
		written.add(kinds[kind]);
		String description = String.join("\n", written);
		long start = System.nanoTime();
		Optional<Lease> lease = Optional.empty();
		try {
			lease = switch (kind) {
				case 0 -> this.one.get(key, once).tryAcquire();
				case 1 -> Optional.of(this.one.get(key, waiting).acquire());
				case 2 -> Optional.of(this.one.get(key, waiting.withFair(true)).acquire());
				case 3 -> Optional.of(this.one.engine().getReadWriteLock(key, waiting).readLock().acquire());
				case 4 -> Optional.of(this.one.engine().getReadWriteLock(key, waiting).writeLock().acquire());
				case 5 -> Optional.of(this.one.engine().getSemaphore(key, 2, waiting).acquire());
				default -> Optional.of(this.one.engine().getAll(List.of(key, key + "-2"), waiting).acquire());
			};
		}
		catch (LockNotAcquiredException | LockStoreException ex) {
			check(ex, key, description);
		}
		catch (RuntimeException ex) {
			fail(description, ex);
		}
		long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		assertThat(took).as(description).isLessThan(this.hiccups.allow(WAIT.plusSeconds(2)).toMillis());
		boolean shared = kind == 3 || kind == 5;
		if (lease.isPresent()) {
			assertThat(holder).as("a wrong grant after %s", description)
				.matches((content) -> !content.startsWith("string")
						|| (shared && content.startsWith("string lockable:shared")));
			if (!shared) {
				assertThat(this.server.call("GET", key)).as(description).isEqualTo(owner(lease.get(), key));
			}
			assertThat(lease.get().fencingToken()).as(description).isPositive();
			excludes(key, description);
			release(lease.get(), key, description);
		}
	}

	// Each of several keys has its own token
	private String owner(Lease lease, String key) {
		String owner = this.one.engine()
			.holdings()
			.stream()
			.filter((holding) -> holding.key().equals(key))
			.findFirst()
			.orElseThrow()
			.owner();
		return lease.keys().size() > 1 ? owner : lease.owner();
	}

	private void excludes(String key, String description) {
		try {
			assertThat(this.two.get(key).tryAcquire()).as(description).isEmpty();
		}
		catch (LockStoreException ex) {
			check(ex, key, description);
		}
	}

	private void release(Lease lease, String key, String description) {
		try {
			lease.release();
		}
		catch (LockStoreException ex) {
			check(ex, key, description);
		}
		catch (RuntimeException ex) {
			fail(description, ex);
		}
	}

	private static void check(LockException failure, String key, String description) {
		LogCheck.check(failure, description);
		assertThat(failure).as(description).hasMessageContaining(key);
		if (failure instanceof LockStoreException) {
			assertThat(failure).as(description).hasMessageContaining("Another client has written");
		}
	}

	/**
	 * Writes data that another client may leave.
	 * @return a description of the data
	 */
	private String write(byte[] key, Random random) {
		delete(key);
		String type = switch (random.nextInt(8)) {
			case 0, 1 -> "string " + number(key, random);
			case 2 -> "string " + string(key, random);
			case 3 -> {
				int size = 1 + random.nextInt(5);
				for (int i = 0; i < size; i++) {
					run("RPUSH", key, element(random));
				}
				yield "list";
			}
			case 4 -> {
				int size = 1 + random.nextInt(4);
				StringBuilder entries = new StringBuilder("hash");
				for (int i = 0; i < size; i++) {
					byte[] entry = entry(random);
					run("HSET", key, element(random), entry);
					entries.append(" '").append(new String(entry, StandardCharsets.ISO_8859_1)).append('\'');
				}
				yield entries.toString();
			}
			case 5 -> {
				run("SADD", key, element(random));
				yield "set";
			}
			case 6 -> {
				String[] scores = { "inf", "-inf", "1.5", "1e300", "0", "9007199254740993", "99999999999999",
						Long.toString(System.currentTimeMillis() + 500) + ".25" };
				String score = scores[random.nextInt(scores.length)];
				run("ZADD", key, bytes(score), element(random));
				yield "zset " + score;
			}
			default -> {
				run("XADD", key, bytes("*"), bytes("field"), element(random));
				yield "stream";
			}
		};
		String[] expiries = { "", "", "10000", "10000000000000000", "9200000000000000000" };
		String expiry = expiries[random.nextInt(expiries.length)];
		if (!expiry.isEmpty()) {
			run("PEXPIRE", key, bytes(expiry));
		}
		return type + " for " + expiry;
	}

	private String number(byte[] key, Random random) {
		String number = NUMBERS[random.nextInt(NUMBERS.length)];
		run("SET", key, bytes(number));
		return number;
	}

	private String string(byte[] key, Random random) {
		byte[] value = switch (random.nextInt(5)) {
			case 0 -> bytes("lockable:shared");
			case 1 -> bytes("owner:kept");
			case 2 -> new byte[1_000_000];
			case 3 -> bytes("settled owner\n\u001b[31m");
			default -> element(random);
		};
		run("SET", key, value);
		return (value.length < 100) ? new String(value, StandardCharsets.ISO_8859_1) : value.length + " bytes";
	}

	private static byte[] element(Random random) {
		byte[] bytes = new byte[random.nextInt(40)];
		random.nextBytes(bytes);
		return switch (random.nextInt(3)) {
			case 0 -> bytes("owner:" + random.nextInt(3));
			case 1 -> bytes("2026-01-01 INFO forged\r\n\u001b[2K");
			default -> bytes;
		};
	}

	// Half of the entries begin like that of a waiter: inbox lease micros permits
	private static byte[] entry(Random random) {
		String entry = "lockable:inbox:0123456789abcdef";
		for (int i = random.nextInt(5); i > 0; i--) {
			entry += ' ' + NUMBERS[random.nextInt(NUMBERS.length)];
		}
		return random.nextBoolean() ? bytes(entry) : element(random);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private void delete(byte[]... keys) {
		run("DEL", keys);
	}

	private void run(String command, byte[]... arguments) {
		try (RedisConnection connection = this.two.template().getRequiredConnectionFactory().getConnection()) {
			connection.execute(command, arguments);
		}
	}

}
