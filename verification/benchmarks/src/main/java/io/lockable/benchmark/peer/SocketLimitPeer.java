package io.lockable.benchmark.peer;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.Protocol;

/**
 * {@code SET NX PX} and one script, with a blocking socket per thread.
 */
final class SocketLimitPeer implements Peer {

	private final Queue<RespSocket> sockets = new ConcurrentLinkedQueue<>();

	private final ThreadLocal<RespSocket> socket;

	private final String script;

	SocketLimitPeer(RedisAddress redis) {
		this.socket = ThreadLocal.withInitial(() -> {
			RespSocket socket = new RespSocket(redis);
			this.sockets.add(socket);
			return socket;
		});
		this.script = this.socket.get().call("SCRIPT", "LOAD", Protocol.COMPARE_AND_DELETE);
	}

	@Override
	public Held lock(String key) {
		RespSocket socket = this.socket.get();
		String owner = Protocol.newOwner();
		String reply = socket.call("SET", key, owner, "NX", "PX", Long.toString(PeerKind.LEASE.toMillis()));
		RedisAddress.checkAcquired("OK".equals(reply), key);
		return () -> "1".equals(socket.call("EVALSHA", this.script, "1", key, owner));
	}

	@Override
	public void close() {
		this.sockets.forEach(RespSocket::close);
	}

}
