package io.lockable.campaign.site;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.campaign.contestant.Address;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

/**
 * One server that writes its data to disk, so that its locks survive a kill.
 */
class StandaloneDeployment implements Deployment {

	static final String[] SETTINGS = { "appendonly yes", "appendfsync everysec",
			"user %s on >%s ~* &* +@all".formatted(Address.USER, Address.PASSWORD) };

	private final RedisTestServer server;

	private final List<FaultProxy> proxies;

	StandaloneDeployment(int workers) {
		this(RedisServers.start(SETTINGS), workers);
	}

	StandaloneDeployment(RedisTestServer server, int workers) {
		this.server = server;
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
	public List<List<FaultProxy>> links() {
		return Stream.concat(this.proxies.stream().map(List::of), Stream.of(this.proxies)).toList();
	}

	@Override
	public void close() {
		this.proxies.forEach(FaultProxy::close);
		this.server.close();
	}

}
