package io.lockable.sample;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * The Redis server of the application.
 */
@Component
@Profile("!shop")
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "redis", matchIfMissing = true)
class RedisBackend implements Backend {

	private final DataRedisConnectionDetails.Standalone address;

	private final @Nullable RedisProcess process;

	RedisBackend(DataRedisConnectionDetails details, ObjectProvider<RedisProcess> process) {
		this.address = Objects.requireNonNull(details.getStandalone(), "The lab requires a single Redis");
		this.process = process.getIfAvailable();
	}

	@Override
	public String host() {
		return this.address.getHost();
	}

	@Override
	public int port() {
		return this.address.getPort();
	}

	@Override
	public List<String> arguments(int port) {
		return List.of("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port);
	}

	@Override
	public boolean canRestart() {
		return this.process != null;
	}

	@Override
	public void restart() {
		Objects.requireNonNull(this.process).restart();
	}

}
