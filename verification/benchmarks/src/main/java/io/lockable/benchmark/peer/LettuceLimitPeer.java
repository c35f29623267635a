package io.lockable.benchmark.peer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.Protocol;

/**
 * {@code SET NX PX} and one script, on the synchronous API of one Lettuce connection.
 */
final class LettuceLimitPeer implements Peer {

	private final RedisClient client;

	private final RedisCommands<String, String> commands;

	private final String script;

	LettuceLimitPeer(RedisAddress redis) {
		this.client = RedisClient.create(RedisURI.create(redis.host(), redis.port()));
		this.commands = this.client.connect().sync();
		this.script = this.commands.scriptLoad(Protocol.COMPARE_AND_DELETE);
	}

	@Override
	public Held lock(String key) {
		String owner = Protocol.newOwner();
		String reply = this.commands.set(key, owner, SetArgs.Builder.nx().px(PeerKind.LEASE.toMillis()));
		RedisAddress.checkAcquired("OK".equals(reply), key);
		return () -> this.commands.<Long>evalsha(this.script, ScriptOutputType.INTEGER, new String[] { key },
				owner) == 1;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
