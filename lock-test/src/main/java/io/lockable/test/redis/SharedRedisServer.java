package io.lockable.test.redis;

/**
 * A server that many tests share, and that no test may stop.
 *
 * @param server the server
 */
record SharedRedisServer(RedisTestServer server) implements RedisTestServer {

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
				"Other tests use the shared Redis server: start a dedicated one with RedisServers.start()");
	}

}
