package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.redis.RedlockServers.RedlockInstance;
import io.lockable.redis.script.LuaScript;
import io.lockable.store.Acquisition;
import io.lockable.store.Granted;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A release that reaches a master late, as over a lost connection, does not free a later
 * acquisition of its owner.
 */
@Tag("servers")
class LateReleaseIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final RedlockServers servers = RedlockServers.start(3);

	private final RedisTestServer first = this.servers.get(0);

	private final String key = Instance.newKey();

	private RedlockInstance instance;

	@BeforeEach
	void start() {
		this.instance = this.servers.instance(RedisClients.JEDIS, Duration.ofSeconds(5));
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.servers.close();
	}

	@Test
	void giveBackOfAnEarlierQuestionFreesNothing() {
		assertThat(acquire()).isInstanceOf(Granted.class);
		assertThat(acquire()).isInstanceOf(Granted.class);
		assertThat(giveBack(1)).isEqualTo("0");
		assertThat(this.first.call("GET", this.key)).isEqualTo("x");
	}

	@Test
	void giveBackOfTheLastQuestionFrees() {
		assertThat(acquire()).isInstanceOf(Granted.class);
		assertThat(acquire()).isInstanceOf(Granted.class);
		assertThat(giveBack(2)).isEqualTo("7");
		assertThat(this.first.call("GET", this.key)).isEqualTo("(nil)");
	}

	@Test
	void releaseFreesWhateverTheNumberOfTheQuestion() {
		assertThat(acquire()).isInstanceOf(Granted.class);
		assertThat(acquire()).isInstanceOf(Granted.class);
		assertThat(get(this.instance.store().release(this.key, "x"))).isTrue();
		// A majority has answered; the others are about to.
		await().atMost(PATIENCE).until(() -> this.servers.lockedFrom(this.key, 0) == 0);
	}

	private String giveBack(int question) {
		String tag = "{" + this.key + "}";
		return this.first.call("EVAL", LuaScript.ofInteger("redlock_release").source(), "3", this.key, tag + ":fence",
				tag + ":outcome", "x", "7", Integer.toString(question));
	}

	private Acquisition acquire() {
		return get(this.instance.store().acquire(this.key, "x", LEASE));
	}

	private static <T> T get(CompletionStage<T> answer) {
		assertThat(answer.toCompletableFuture()).succeedsWithin(PATIENCE);
		return answer.toCompletableFuture().join();
	}

}
