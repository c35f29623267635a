package io.lockable.campaign.site;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.contestant.Topology;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

/**
 * Independent servers that write their data to disk, so that their locks survive a kill:
 * one, or three for Redlock. Each worker has a proxy to each of them.
 */
class StandaloneDeployment implements RedisDeployment {

	private static final String USER = "user %s on >%s ~* &* +@all".formatted(Address.USER, Address.PASSWORD);

	static final String[] SETTINGS = { "appendonly yes", "appendfsync everysec", USER };

	private final Topology topology;

	private final List<RedisTestServer> servers;

	private final List<List<FaultProxy>> ofWorkers;

	StandaloneDeployment(int workers) {
		this(RedisServers.start(SETTINGS), workers);
	}

	StandaloneDeployment(RedisTestServer server, int workers) {
		this(Topology.STANDALONE, List.of(server), workers);
	}

	private StandaloneDeployment(Topology topology, List<RedisTestServer> servers, int workers) {
		this.topology = topology;
		this.servers = servers;
		this.ofWorkers = Stream.generate(() -> servers.stream().map(FaultProxy::to).toList()).limit(workers).toList();
	}

	/**
	 * Starts three masters, which write every command to disk before they answer.
	 * @param workers the number of workers
	 * @return the masters, each behind a proxy for each worker
	 */
	static StandaloneDeployment redlock(int workers) {
		return new StandaloneDeployment(Topology.REDLOCK,
				Stream.generate(() -> RedisServers.start("appendonly yes", "appendfsync always", USER))
					.limit(3)
					.toList(),
				workers);
	}

	@Override
	public Address address(int slot) {
		return new Address(this.topology,
				this.ofWorkers.get(slot).stream().map((proxy) -> proxy.host() + ":" + proxy.port()).toList());
	}

	@Override
	public List<RedisTestServer> masters() {
		return this.servers;
	}

	@Override
	public List<List<FaultProxy>> links() {
		List<List<FaultProxy>> links = new ArrayList<>(this.ofWorkers);
		if (this.servers.size() > 1) {
			IntStream.range(0, this.servers.size())
				.forEach((server) -> links.add(this.ofWorkers.stream().map((proxies) -> proxies.get(server)).toList()));
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
