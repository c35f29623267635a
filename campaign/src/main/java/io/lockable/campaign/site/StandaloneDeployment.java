package io.lockable.campaign.site;

import java.util.List;
import java.util.stream.IntStream;

import io.lockable.campaign.contestant.Address;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

/**
 * One server that writes its data to disk, so that a killed one comes back with its
 * locks.
 */
final class StandaloneDeployment implements Deployment {

	private final RedisTestServer server = RedisServers.start("appendonly yes", "appendfsync everysec",
			"user %s on >%s ~* &* +@all".formatted(Address.USER, Address.PASSWORD));

	private final List<FaultProxy> proxies;

	StandaloneDeployment(int workers) {
		this.proxies = IntStream.range(0, workers).mapToObj((slot) -> FaultProxy.to(this.server)).toList();
	}

	@Override
	public Address address(int slot) {
		FaultProxy proxy = this.proxies.get(slot);
		return new Address(Address.Form.STANDALONE, List.of(proxy.host() + ":" + proxy.port()), 0);
	}

	@Override
	public List<RedisTestServer> masters() {
		return List.of(this.server);
	}

	@Override
	public List<FaultProxy> proxies() {
		return this.proxies;
	}

	@Override
	public void close() {
		this.proxies.forEach(FaultProxy::close);
		this.server.close();
	}

}
