package io.lockable.redis;

import java.time.Duration;
import java.util.stream.Stream;

import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that know one server of a cluster as a single server, while other instances
 * subscribe at other servers.
 */
@Tag("extended")
@Tag("any-jdk")
@ParameterizedClass
@EnumSource
class ClusterNodeIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration LEASE = Duration.ofSeconds(60);

	@AutoClose
	private static final RedisTestCluster cluster = RedisServers.startCluster(3, 0);

	private final StringRedisTemplate ofNode;

	private final StringRedisTemplate ofCluster;

	private final RecordedGrants messages = new RecordedGrants();

	private final RedisLockStore elsewhere;

	private final RedisLockStore here;

	private final RedisTestServer server;

	private final String key;

	ClusterNodeIntegrationTests(RedisClients client) {
		this.ofCluster = client.connect(RedisDeployment.configuration(cluster));
		this.elsewhere = new RedisLockStore(this.ofCluster);
		assertThat(this.elsewhere.subscribe(this.messages)).succeedsWithin(PATIENCE);
		String channel = "lockable:inbox:" + this.elsewhere.address();
		this.server = cluster.servers()
			.stream()
			.filter((each) -> each.call("PUBSUB", "NUMSUB", channel).endsWith("\n0"))
			.findFirst()
			.orElseThrow();
		this.key = Stream.generate(Instance::newKey)
			.filter((name) -> cluster.masterOf(name).equals(this.server))
			.findFirst()
			.orElseThrow();
		this.ofNode = client.connect(this.server);
		this.here = new RedisLockStore(this.ofNode);
	}

	@AfterEach
	void close() {
		this.here.close();
		this.elsewhere.close();
		RedisClients.disconnect(this.ofNode);
		RedisClients.disconnect(this.ofCluster);
	}

	@Test
	void waiterThatListensAtAnotherServerIsGrantedTheLock() {
		assertThat(this.here.acquire(this.key, "a", LEASE)).succeedsWithin(PATIENCE);
		assertThat(this.elsewhere.enqueue(this.key, "b", LEASE, false)).succeedsWithin(PATIENCE)
			.isInstanceOf(Refused.class);
		assertThat(this.here.release(this.key, "a")).succeedsWithin(PATIENCE).isEqualTo(true);
		assertThat(this.server.call("GET", this.key)).isEqualTo("b");
		await().untilAsserted(
				() -> assertThat(this.messages.all()).singleElement().extracting(Grant::owner).isEqualTo("b"));
		assertThat(this.elsewhere.release(this.key, "b")).succeedsWithin(PATIENCE).isEqualTo(true);
	}

	@Test
	void retainedLockOfAnInstanceThatListensAtAnotherServerIsRecalled() {
		assertThat(this.here.subscribe(new RecordedGrants())).succeedsWithin(PATIENCE);
		String holder = "a@" + this.elsewhere.address();
		assertThat(this.elsewhere.acquire(this.key, holder, LEASE)).succeedsWithin(PATIENCE);
		assertThat(this.here.acquireOrRecall(this.key, "b", LEASE)).succeedsWithin(PATIENCE)
			.isInstanceOfSatisfying(Refused.class, (refused) -> assertThat(refused.recalled()).isTrue());
		await().untilAsserted(() -> assertThat(this.messages.recalls())
			.containsExactly(new Recall(this.key, holder, "b", this.here.address())));
		assertThat(this.elsewhere.release(this.key, holder)).succeedsWithin(PATIENCE).isEqualTo(true);
		assertThat(this.here.release(this.key, "b")).succeedsWithin(PATIENCE).isEqualTo(true);
	}

}
