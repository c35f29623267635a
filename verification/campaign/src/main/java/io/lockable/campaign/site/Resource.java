package io.lockable.campaign.site;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lockable.campaign.history.Write;
import io.lockable.harness.server.LoopbackServer;

/**
 * The resource that the locks protect. It is in the process of the campaign, which no
 * fault affects. Each key has a fenced and an unfenced resource, and each write goes to
 * both. The fenced resource rejects a token smaller than the largest one so far.
 */
public final class Resource implements AutoCloseable {

	private final List<Write> writes = new ArrayList<>();

	private final Map<String, Long> newest = new HashMap<>();

	private final LoopbackServer server = new LoopbackServer("campaign-resource", this::serve);

	int port() {
		return this.server.port();
	}

	/**
	 * Forgets all writes.
	 */
	public synchronized void clear() {
		this.writes.clear();
		this.newest.clear();
	}

	/**
	 * Returns the writes since the last {@link #clear()}.
	 * @return the writes, in order
	 */
	public synchronized List<Write> writes() {
		return List.copyOf(this.writes);
	}

	/**
	 * Returns the first holder of a lock whose first write is later than a time.
	 * @param key the lock
	 * @param time the time
	 * @return its first write
	 */
	public synchronized Optional<Write> newHolder(String key, long time) {
		List<Write> ofKey = this.writes.stream()
			.filter((write) -> write.key().equals(key) && write.accepted())
			.toList();
		List<String> before = ofKey.stream().filter((write) -> write.at() < time).map(Write::id).toList();
		return ofKey.stream().filter((write) -> write.at() >= time && !before.contains(write.id())).findFirst();
	}

	// Ends when the worker does
	private void serve(Socket socket) throws IOException {
		try (socket;
				BufferedReader requests = new BufferedReader(
						new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = requests.readLine(); line != null; line = requests.readLine()) {
				String[] words = line.split(" ", -1);
				write(words[0], words[1], Long.parseLong(words[2]));
				socket.getOutputStream().write('\n');
			}
		}
	}

	private synchronized void write(String key, String id, long token) {
		boolean accepted = token == 0 || this.newest.getOrDefault(key, 0L) <= token;
		if (accepted) {
			this.newest.merge(key, token, Math::max);
		}
		this.writes.add(new Write(System.nanoTime(), key, id, token, accepted));
	}

	@Override
	public void close() {
		this.server.close();
	}

}
