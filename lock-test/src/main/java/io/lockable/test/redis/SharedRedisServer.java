package io.lockable.test.redis;

/**
 * A server that many tests use, and that none of them may take from the others.
 *
 * @param server the server
 */
record SharedRedisServer(RedisTestServer server) implements RedisTestServer {

	@Override
	public String host() {
		return this.server.host();
	}

	@Override
	public int port() {
		return this.server.port();
	}

	@Override
	public void kill() {
		throw refused();
	}

	@Override
	public void pause() {
		throw refused();
	}

	@Override
	public void resume() {
		throw refused();
	}

	@Override
	public void restart() {
		throw refused();
	}

	@Override
	public void close() {
		throw refused();
	}

	private static UnsupportedOperationException refused() {
		return new UnsupportedOperationException(
				"Other tests use the shared Redis server: start one of your own with RedisServers.start()");
	}

}
