package io.lockable.campaign.fault;

import java.time.Duration;
import java.util.List;

import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Fault.Effect;
import io.lockable.campaign.site.ClusterDeployment;
import io.lockable.campaign.site.SentinelDeployment;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;

/**
 * Faults of several servers: failovers, moved slots, and missing masters of a majority.
 */
final class DeploymentFaultKinds {

	/**
	 * The move takes longer than a lease, so that a renewal is due meanwhile.
	 */
	private static final long HALFWAY_MILLIS = 300;

	/**
	 * A client finds the new master about a second after the servers have agreed on it.
	 */
	private static final Duration NEW_MASTER = Contestant.LEASE.plusSeconds(1);

	static final List<Fault> ALL = List.of(
			newMaster("sentinel-failover", Topology.SENTINEL, DeploymentFaultKinds::failOver).voiding(Effect.ALL_LOCKS),
			newMaster("replicated-failover", Topology.REPLICATED, DeploymentFaultKinds::failOver),
			newMaster("stale-master", Topology.SENTINEL, DeploymentFaultKinds::staleMaster).voiding(Effect.ALL_LOCKS),
			newMaster("replicated-stale-master", Topology.REPLICATED, DeploymentFaultKinds::staleMaster),
			newMaster("cluster-master-lost", Topology.CLUSTER, DeploymentFaultKinds::loseClusterMaster)
				.voiding(Effect.ALL_LOCKS),
			newMaster("slot-migration", Topology.CLUSTER, DeploymentFaultKinds::moveSlots).leavingLock(),
			redlock("redlock-killed", (scene) -> ServerFaultKinds.restart(server(scene))),
			redlock("redlock-hanging", (scene) -> ServerFaultKinds.freeze(server(scene))).lasting(500, 1500),
			redlock("redlock-restarted-empty", DeploymentFaultKinds::restartEmpty).lasting(1500, 2000));

	private DeploymentFaultKinds() {
	}

	private static Fault newMaster(String name, Topology topology, Fault.Injection injection) {
		return Fault.of(name, injection).on(topology).lasting(0, 0).withGrace(NEW_MASTER);
	}

	private static Fault redlock(String name, Fault.Injection injection) {
		return Fault.of(name, injection).on(Topology.REDLOCK).leavingLock();
	}

	/**
	 * The former master returns after the locks have recovered. If replicas must
	 * acknowledge locks, the locks cannot recover without it.
	 */
	private static Runnable failOver(Scene scene) {
		SentinelDeployment sentinel = (SentinelDeployment) scene.site().deployment();
		RedisTestServer former = scene.server();
		former.kill();
		sentinel.awaitFailover(former);
		Runnable rejoin = () -> {
			former.restart();
			sentinel.rejoin();
		};
		if (scene.site().topology() == Topology.REPLICATED) {
			return rejoin;
		}
		scene.repairs().add(rejoin);
		return Fault.NOTHING;
	}

	/**
	 * A hanging master resumes while another master exists. It serves its connected
	 * clients until the sentinels make it a replica.
	 */
	private static Runnable staleMaster(Scene scene) {
		SentinelDeployment sentinel = (SentinelDeployment) scene.site().deployment();
		RedisTestServer former = scene.server();
		former.pause();
		try {
			sentinel.awaitFailover(former);
		}
		finally {
			former.resume();
		}
		Pauses.millis(scene.random().nextInt(300));
		sentinel.rejoin();
		// Same as the sentinels: otherwise clients stay connected to a replica
		former.call("CLIENT", "KILL", "TYPE", "normal");
		former.call("CLIENT", "KILL", "TYPE", "pubsub");
		return Fault.NOTHING;
	}

	private static Runnable loseClusterMaster(Scene scene) {
		RedisTestCluster cluster = ((ClusterDeployment) scene.site().deployment()).cluster();
		RedisTestServer lost = cluster.masterOf(scene.key());
		lost.kill();
		cluster.awaitFailover(lost);
		scene.repairs().add(lost::restart);
		return Fault.NOTHING;
	}

	private static Runnable moveSlots(Scene scene) {
		RedisTestCluster cluster = ((ClusterDeployment) scene.site().deployment()).cluster();
		for (String key : scene.storedKeys()) {
			RedisTestServer source = cluster.masterOf(key);
			RedisTestServer target = scene.masters()
				.stream()
				.filter((server) -> server.port() != source.port())
				.findFirst()
				.orElseThrow();
			cluster.moveSlot(key, target, () -> Pauses.millis(HALFWAY_MILLIS));
		}
		return Fault.NOTHING;
	}

	private static RedisTestServer server(Scene scene) {
		List<RedisTestServer> masters = scene.masters();
		return masters.get(scene.random().nextInt(masters.size()));
	}

	/**
	 * A master that has lost its locks may return when all leases have ended. Scripts are
	 * forbidden first: a grant between the loss and the end would be lost too early.
	 */
	private static Runnable restartEmpty(Scene scene) {
		RedisTestServer server = server(scene);
		server.call("ACL", "SETUSER", Address.USER, "-eval", "-evalsha");
		return ServerFaultKinds.restartEmpty(server);
	}

}
