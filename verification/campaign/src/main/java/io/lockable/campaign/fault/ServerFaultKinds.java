package io.lockable.campaign.fault;

import java.util.List;
import java.util.stream.Stream;

import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.fault.Fault.Effect;
import io.lockable.test.redis.RedisTestServer;

/**
 * Faults of one server, and actions of an operator or another program on it.
 */
final class ServerFaultKinds {

	static final List<Fault> ALL = List.of(Fault.of("freeze-server", (scene) -> freeze(scene.server())).leavingLock(),
			Fault.of("server-restart", (scene) -> restart(scene.server())).leavingLock(),
			Fault.of("server-restart-empty", (scene) -> restartEmpty(scene.server()))
				.leavingLock()
				.voiding(Effect.ALL_LOCKS),
			Fault.of("subscriptions-killed", command("CLIENT", "KILL", "TYPE", "pubsub")).lasting(0, 0),
			Fault.of("client-kill", command("CLIENT", "KILL", "TYPE", "normal")).lasting(0, 0).leavingLock(),
			Fault.of("client-pause", command("CLIENT", "PAUSE", "700")).lasting(700, 700).leavingLock(),
			Fault.of("script-flush", command("SCRIPT", "FLUSH", "SYNC")).lasting(0, 0),
			Fault.of("memory-full", ServerFaultKinds::fill).leavingLock(),
			Fault.of("permission-lost", ServerFaultKinds::forbid).leavingLock(),
			Fault.of("password-changed", ServerFaultKinds::changePassword).leavingLock(), foreign("foreign-del", "DEL"),
			foreign("foreign-set", "SET", "foreign", "PX", "400"), foreign("foreign-pexpire", "PEXPIRE", "1"));

	private ServerFaultKinds() {
	}

	static Runnable freeze(RedisTestServer server) {
		server.pause();
		return server::resume;
	}

	static Runnable restart(RedisTestServer server) {
		server.kill();
		return server::restart;
	}

	static Runnable restartEmpty(RedisTestServer server) {
		server.call("FLUSHALL");
		return restart(server);
	}

	private static Fault.Injection command(String... command) {
		return (scene) -> {
			scene.server().call(command);
			return Fault.NOTHING;
		};
	}

	private static Runnable fill(Scene scene) {
		RedisTestServer server = scene.server();
		server.call("CONFIG", "SET", "maxmemory", "1");
		return () -> server.call("CONFIG", "SET", "maxmemory", "0");
	}

	private static Runnable forbid(Scene scene) {
		RedisTestServer server = scene.server();
		server.call("ACL", "SETUSER", Address.USER, "-@all", "+ping");
		return () -> server.call("ACL", "SETUSER", Address.USER, "+@all");
	}

	private static Runnable changePassword(Scene scene) {
		RedisTestServer server = scene.server();
		server.call("ACL", "SETUSER", Address.USER, "resetpass", ">another");
		server.call("CLIENT", "KILL", "USER", Address.USER);
		return () -> server.call("ACL", "SETUSER", Address.USER, ">" + Address.PASSWORD);
	}

	/**
	 * A command of another program on the key of a held lock.
	 */
	private static Fault foreign(String name, String command, String... arguments) {
		return Fault.of(name, (scene) -> {
			scene.holder();
			for (String key : scene.storedKeys()) {
				scene.server()
					.call(Stream.concat(Stream.of(command, key), Stream.of(arguments)).toArray(String[]::new));
			}
			return Fault.NOTHING;
		}).lasting(0, 0).leavingLock().voiding(Effect.ONE_LOCK);
	}

}
