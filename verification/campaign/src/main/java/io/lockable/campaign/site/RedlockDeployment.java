package io.lockable.campaign.site;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.campaign.contestant.Address;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

/**
 * Three independent masters, which write every command to disk before they answer. Each
 * worker has a proxy to each of them.
 */
public final class RedlockDeployment implements Deployment {

	private static final int MASTERS = 3;

	private final List<RedisTestServer> servers = Stream
		.generate(() -> RedisServers.start("appendonly yes", "appendfsync always"))
		.limit(MASTERS)
		.toList();

	private final List<List<FaultProxy>> ofWorkers;

	RedlockDeployment(int workers) {
		this.ofWorkers = IntStream.range(0, workers)
			.mapToObj((slot) -> this.servers.stream().map(FaultProxy::to).toList())
			.toList();
	}

	@Override
	public Address address(int slot) {
		return new Address(Address.Form.REDLOCK,
				this.ofWorkers.get(slot).stream().map((each) -> each.host() + ":" + each.port()).toList(), 0);
	}

	@Override
	public List<RedisTestServer> masters() {
		return this.servers;
	}

	@Override
	public List<List<FaultProxy>> links() {
		List<List<FaultProxy>> links = new ArrayList<>(this.ofWorkers);
		for (int i = 0; i < MASTERS; i++) {
			int server = i;
			links.add(this.ofWorkers.stream().map((proxies) -> proxies.get(server)).toList());
		}
		links.add(this.ofWorkers.stream().flatMap(List::stream).toList());
		return links;
	}

	@Override
	public void close() {
		this.ofWorkers.forEach((proxies) -> proxies.forEach(FaultProxy::close));
		this.servers.forEach(RedisTestServer::close);
	}

}
