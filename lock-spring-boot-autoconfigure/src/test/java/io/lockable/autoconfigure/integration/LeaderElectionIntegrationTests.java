package io.lockable.autoconfigure.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockable.LockOptions;
import io.lockable.autoconfigure.RedisInstance;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leader election on the lock registry, with two instances.
 */
@Tag("extended")
@Tag("any-jdk")
class LeaderElectionIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private static RedisTestServer server;

	private final List<Instance> instances = new ArrayList<>();

	private String role;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void elect(TestInfo test) {
		this.role = test.getTestMethod().orElseThrow().getName();
		this.instances.add(Instance.start(this.role));
		this.instances.add(Instance.start(this.role));
		await().atMost(LIMIT).until(() -> leaders().size() == 1);
	}

	@AfterEach
	void close() {
		this.instances.forEach(Instance::close);
	}

	@Test
	void otherOneTakesOverWhenTheLeaderCloses() {
		Instance leader = leaders().get(0);
		Instance follower = follower(leader);
		leader.close();
		await().atMost(LIMIT).until(() -> follower.isLeader());
		assertThat(leader.isLeader()).isFalse();
		assertThat(leader.candidate().events()).containsExactly("granted", "revoked");
		assertThat(follower.candidate().events()).containsExactly("granted");
	}

	@Test
	void lossOfTheLockRevokesTheLeadership() {
		Instance leader = leaders().get(0);
		server.call("SET", key(), "somebody else", "PX", "600000");
		await().atMost(LIMIT).until(() -> leader.candidate().events().contains("revoked"));
		assertThat(leaders()).isEmpty();
		assertThat(server.call("GET", key())).contains("somebody else");
		server.call("DEL", key());
	}

	private String key() {
		return "app:" + this.role;
	}

	private List<Instance> leaders() {
		return this.instances.stream().filter(Instance::isLeader).toList();
	}

	private Instance follower(Instance leader) {
		return this.instances.stream().filter((instance) -> instance != leader).findFirst().orElseThrow();
	}

	/**
	 * One instance of the application.
	 */
	private record Instance(RedisInstance redis, RecordingCandidate candidate,
			LockRegistryLeaderInitiator initiator) implements AutoCloseable {

		static Instance start(String role) {
			LockOptions options = LockOptions.defaults().withLease(LEASE);
			RedisInstance redis = RedisInstance.start(server, options);
			RecordingCandidate candidate = new RecordingCandidate(role);
			LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
					new DistributedLockRegistry(redis.engine(), "app:", options), candidate);
			initiator.setHeartBeatMillis(50);
			initiator.setBusyWaitMillis(10);
			initiator.setApplicationEventPublisher((event) -> {
			});
			initiator.start();
			return new Instance(redis, candidate, initiator);
		}

		boolean isLeader() {
			return this.initiator.getContext().isLeader();
		}

		@Override
		public void close() {
			this.initiator.stop();
			this.redis.close();
		}

	}

	/**
	 * A candidate that records its election and revocation.
	 */
	private static final class RecordingCandidate extends DefaultCandidate {

		private final List<String> events = new CopyOnWriteArrayList<>();

		RecordingCandidate(String role) {
			super("candidate", role);
		}

		List<String> events() {
			return this.events;
		}

		@Override
		public void onGranted(Context context) {
			this.events.add("granted");
		}

		@Override
		public void onRevoked(Context context) {
			this.events.add("revoked");
		}

	}

}
