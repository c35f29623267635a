package io.lockable.test.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Starts a server, reports its process id to a file and waits to be killed.
 */
public final class RedisServerStarter {

	private RedisServerStarter() {
	}

	public static void main(String[] args) throws Exception {
		RedisTestServer server = ProcessRedisServer.start(ProcessRedisServer.embedded(), List.of());
		String pid = server.call("INFO", "server")
			.lines()
			.filter((line) -> line.startsWith("process_id:"))
			.map((line) -> line.substring("process_id:".length()))
			.findFirst()
			.orElseThrow();
		Path draft = Path.of(args[0] + ".draft");
		Files.writeString(draft, pid);
		Files.move(draft, Path.of(args[0]));
		Thread.currentThread().join();
	}

}
