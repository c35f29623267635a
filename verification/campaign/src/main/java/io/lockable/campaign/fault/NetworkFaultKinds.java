package io.lockable.campaign.fault;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lockable.campaign.contestant.Topology;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.FaultProxy.Direction;

/**
 * Faults of the network between the workers and one server, or several independent
 * masters.
 */
final class NetworkFaultKinds {

	private static final int LOST_REPLIES = 5;

	private static final Topology[] PROXIED = { Topology.STANDALONE, Topology.REDLOCK, Topology.POSTGRESQL };

	static final List<Fault> ALL = List.of(of("connections-cut", FaultProxy::cut),
			of("connections-reset", FaultProxy::reset), of("connections-refused", (proxy) -> {
				proxy.refuse();
				proxy.cut();
			}), of("half-open", FaultProxy::halfOpen),
			of("black-hole-requests", (proxy) -> proxy.halfOpen(Direction.REQUESTS)),
			of("black-hole-replies", (proxy) -> proxy.halfOpen(Direction.REPLIES)), of("stall", FaultProxy::stall),
			of("stall-replies", (proxy) -> proxy.stall(Direction.REPLIES)),
			of("delay", (proxy) -> proxy.delay(Duration.ofMillis(40))),
			of("messages-held", FaultProxy::holdMessages).on(Topology.STANDALONE, Topology.REDLOCK),
			Fault.of("replies-lost", NetworkFaultKinds::loseReplies).on(PROXIED).lasting(400, 700).leavingLock());

	private NetworkFaultKinds() {
	}

	private static Fault of(String name, Consumer<FaultProxy> injection) {
		return Fault.of(name, (scene) -> {
			List<FaultProxy> proxies = scene.proxies();
			proxies.forEach(injection);
			return () -> proxies.forEach(NetworkFaultKinds::heal);
		}).on(PROXIED).leavingLock();
	}

	private static void heal(FaultProxy proxy) {
		proxy.delay(Duration.ZERO);
		proxy.heal();
	}

	/**
	 * Loses several replies, one after the other, on the connections of all workers.
	 */
	private static Runnable loseReplies(Scene scene) {
		List<List<FaultProxy>> links = scene.site().deployment().links();
		List<FaultProxy> proxies = links.get(links.size() - 1);
		for (int i = 0; i < LOST_REPLIES; i++) {
			int nth = 1 + scene.random().nextInt(10);
			proxies.forEach((proxy) -> proxy.closeBeforeReply(nth));
			Pauses.millis(100);
		}
		return () -> proxies.forEach(FaultProxy::heal);
	}

}
