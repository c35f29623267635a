package io.lockable.autoconfigure;

import java.time.Duration;

import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.redis.RedisLockStore;
import io.lockable.test.redis.RedisTestServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An instance of an application: an engine with its own client.
 *
 * @param connectionFactory the client
 * @param engine the engine on it
 */
public record RedisInstance(LettuceConnectionFactory connectionFactory, LockEngine engine) implements AutoCloseable {

	/**
	 * Starts an instance.
	 * @param server the server of its locks
	 * @param defaults the default options of its locks
	 * @return the instance, which the caller closes
	 */
	public static RedisInstance start(RedisTestServer server, LockOptions defaults) {
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(server.host(), server.port()));
		connectionFactory.afterPropertiesSet();
		connectionFactory.start();
		StringRedisTemplate template = new StringRedisTemplate(connectionFactory);
		// The first command loads the client's classes, which takes seconds on a busy
		// machine.
		template.hasKey("connected");
		LockEngine engine = LockEngine.builder(new RedisLockStore(template))
			.defaults(defaults)
			.commandTimeout(Duration.ofSeconds(10))
			.build();
		return new RedisInstance(connectionFactory, engine);
	}

	@Override
	public void close() {
		this.engine.close();
		this.connectionFactory.destroy();
	}

}
