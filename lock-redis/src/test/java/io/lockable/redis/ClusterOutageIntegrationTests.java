package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The outcome of calls while one master of a cluster hangs.
 */
@Tag("extended")
@ParameterizedClass
@EnumSource
class ClusterOutageIntegrationTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	private static final int CALLERS = 20;

	private final RedisTestCluster cluster = RedisServers.startCluster(3, 0);

	private final RedisLockStore store;

	private final Instance instance;

	private final Hiccups hiccups = Hiccups.start();

	private final Crew crew = new Crew();

	ClusterOutageIntegrationTests(RedisClients client) {
		this.cluster.servers().forEach((server) -> server.call("CONFIG", "SET", "cluster-require-full-coverage", "no"));
		List<String> nodes = this.cluster.servers()
			.stream()
			.map((server) -> server.host() + ':' + server.port())
			.toList();
		StringRedisTemplate template = client.connect(new RedisClusterConfiguration(nodes));
		this.store = new RedisLockStore(template);
		this.instance = new Instance(template,
				LockEngine.builder(this.store).commandTimeout(COMMAND_TIMEOUT).shutdownTimeout(Duration.ZERO).build());
	}

	@AfterEach
	void close() {
		this.cluster.servers().forEach(RedisTestServer::resume);
		this.hiccups.close();
		this.crew.close();
		this.instance.close();
		this.cluster.close();
	}

	@Test
	void callsEndWithinTheCommandTimeoutAndOtherMastersServe() throws Exception {
		RedisTestServer hung = this.cluster.masterOf("a");
		List<String> there = keys(hung, true);
		List<String> elsewhere = keys(hung, false);
		List<Lease> held = new ArrayList<>();
		for (String key : there) {
			held.add(this.instance.get(key).tryAcquire().orElseThrow());
		}
		await().until(() -> there.stream().map(this.store::server).distinct().count() == 1);
		assertThat(elsewhere.stream().map(this.store::server)).doesNotContain(this.store.server("a"));
		LockOptions shortWait = Instance.waiting(Duration.ofMillis(20));
		hung.pause();
		List<Future<Duration>> calls = new ArrayList<>();
		for (Lease lease : held) {
			calls.add(timed(lease::release));
			calls.add(timed(this.instance.get("other-{" + lease.key() + '}', shortWait)::acquire));
		}
		for (Future<Duration> call : calls) {
			assertThat(call.get(30, TimeUnit.SECONDS)).isLessThan(this.hiccups.allow(COMMAND_TIMEOUT.plusMillis(500)));
		}
		for (String key : elsewhere) {
			long start = System.nanoTime();
			this.instance.get(key).tryAcquire().orElseThrow().release();
			assertThat(Duration.ofNanos(System.nanoTime() - start))
				.isLessThan(this.hiccups.allow(Duration.ofMillis(500)));
		}
	}

	private Future<Duration> timed(Callable<?> call) {
		return this.crew.start(() -> {
			long start = System.nanoTime();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(call::call);
			return Duration.ofNanos(System.nanoTime() - start);
		});
	}

	private List<String> keys(RedisTestServer server, boolean there) {
		List<String> found = new ArrayList<>();
		for (int i = 0; found.size() < CALLERS; i++) {
			String key = "k" + i;
			if (this.cluster.masterOf(key).equals(server) == there) {
				found.add(key);
			}
		}
		return found;
	}

}
