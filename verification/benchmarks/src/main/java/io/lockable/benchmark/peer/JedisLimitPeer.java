package io.lockable.benchmark.peer;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.Protocol;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/**
 * {@code SET NX PX} and one script, with a Jedis connection per thread.
 */
final class JedisLimitPeer implements Peer {

	private final Queue<Jedis> connections = new ConcurrentLinkedQueue<>();

	private final ThreadLocal<Jedis> connection;

	private final String script;

	JedisLimitPeer(RedisAddress redis) {
		this.connection = ThreadLocal.withInitial(() -> {
			Jedis jedis = new Jedis(redis.host(), redis.port());
			this.connections.add(jedis);
			return jedis;
		});
		this.script = this.connection.get().scriptLoad(Protocol.COMPARE_AND_DELETE);
	}

	@Override
	public Held lock(String key) {
		Jedis jedis = this.connection.get();
		String owner = Protocol.newOwner();
		String reply = jedis.set(key, owner, SetParams.setParams().nx().px(PeerKind.LEASE.toMillis()));
		RedisAddress.checkAcquired("OK".equals(reply), key);
		return () -> Long.valueOf(1).equals(jedis.evalsha(this.script, List.of(key), List.of(owner)));
	}

	@Override
	public void close() {
		this.connections.forEach(Jedis::close);
	}

}
