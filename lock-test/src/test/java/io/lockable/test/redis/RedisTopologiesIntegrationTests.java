package io.lockable.test.redis;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RedisTestCluster} and {@link RedisTestSentinel}.
 */
@Tag("extended")
class RedisTopologiesIntegrationTests {

	@Test
	void clusterReplacesAMasterAndMovesSlots() {
		try (RedisTestCluster cluster = RedisServers.startCluster(3, 1)) {
			RedisTestServer master = cluster.masterOf("key");
			assertThat(cluster.servers()).hasSize(6).contains(master);
			assertThat(master.call("SET", "key", "value")).isEqualTo("OK");
			assertThatIllegalStateException().isThrownBy(() -> other(cluster, master).call("GET", "key"))
				.withMessageContaining("MOVED");
			RedisTestServer target = other(cluster, master);
			cluster.moveSlot("key", target, () -> assertThat(master.call("GET", "key")).isEqualTo("value"));
			assertThat(cluster.masterOf("key")).isEqualTo(target);
			assertThat(target.call("GET", "key")).isEqualTo("value");
			assertThat(target.call("WAIT", "1", "5000")).isEqualTo("1");
			target.kill();
			cluster.awaitFailover(target);
			assertThat(cluster.masterOf("key")).isNotEqualTo(target);
			assertThat(cluster.masterOf("key").call("GET", "key")).isEqualTo("value");
		}
	}

	private static RedisTestServer other(RedisTestCluster cluster, RedisTestServer master) {
		List<RedisTestServer> masters = cluster.servers().subList(0, 3);
		return masters.get((masters.indexOf(master) + 1) % 3);
	}

	@Test
	void sentinelsReplaceAMaster() {
		try (RedisTestSentinel sentinel = RedisServers.startSentinel(2)) {
			RedisTestServer former = sentinel.master();
			assertThat(sentinel.servers()).hasSize(3).contains(former);
			assertThat(sentinel.sentinels()).hasSize(3);
			assertThat(former.call("SET", "key", "value")).isEqualTo("OK");
			former.kill();
			RedisTestServer master = sentinel.awaitFailover(former);
			assertThat(master).isNotEqualTo(former);
			assertThat(sentinel.master()).isEqualTo(master);
			assertThat(master.call("SET", "key", "next")).isEqualTo("OK");
		}
	}

}
