package io.lockable.campaign.site;

import java.util.List;
import java.util.stream.Stream;

import io.lockable.campaign.contestant.Address;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

/**
 * Three independent masters, which write every command to disk before they answer.
 */
public final class RedlockDeployment implements Deployment {

	private final List<RedisTestServer> servers = Stream
		.generate(() -> RedisServers.start("appendonly yes", "appendfsync always"))
		.limit(3)
		.toList();

	@Override
	public Address address(int slot) {
		return new Address(Address.Form.REDLOCK,
				this.servers.stream().map((each) -> each.host() + ":" + each.port()).toList(), 0);
	}

	@Override
	public List<RedisTestServer> masters() {
		return this.servers;
	}

	@Override
	public void close() {
		this.servers.forEach(RedisTestServer::close);
	}

}
