package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections to several masters, made like the one an application has.
 *
 * @param factories one for each master
 * @param closing closes them
 */
record MasterConnections(List<RedisConnectionFactory> factories, List<Runnable> closing) {

	static MasterConnections open(RedisConnectionFactory like, List<MasterAddress> addresses) {
		MasterConnections opened = new MasterConnections(new ArrayList<>(), new ArrayList<>());
		try {
			for (MasterAddress address : addresses) {
				if (RedisTopology.isLettuce(like)) {
					Lettuce.open(like, address, opened);
				}
				else if (RedisTopology.isJedis(like)) {
					Jedis.open(like, address, opened);
				}
				else {
					throw new IllegalArgumentException(
							("The connection factory must be of Lettuce or Jedis, was %s: pass a template "
									+ "for each master")
								.formatted(like.getClass().getName()));
				}
			}
			return opened;
		}
		catch (RuntimeException ex) {
			opened.close();
			throw ex;
		}
	}

	void close() {
		this.closing.forEach(Runnable::run);
	}

	private static RedisStandaloneConfiguration configuration(MasterAddress address, boolean encrypted,
			WithAuthentication credentials, int database) {
		Boolean wanted = address.encrypted();
		if (wanted != null && wanted != encrypted) {
			throw new IllegalArgumentException(
					"The master %s must be reached %s TLS, like the application's own server: write %s://, or no scheme"
						.formatted(address, encrypted ? "over" : "without", encrypted ? "rediss" : "redis"));
		}
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(address.host(), address.port());
		String password = address.password();
		if (password != null) {
			configuration.setUsername(address.username());
			configuration.setPassword(RedisPassword.of(password));
		}
		else {
			configuration.setUsername(credentials.getUsername());
			configuration.setPassword(credentials.getPassword());
		}
		Integer ownDatabase = address.database();
		configuration.setDatabase((ownDatabase != null) ? ownDatabase : database);
		return configuration;
	}

	/**
	 * Returns the part of an application's configuration that is about its own servers.
	 */
	private static WithAuthentication servers(@Nullable RedisSentinelConfiguration sentinel,
			@Nullable RedisClusterConfiguration cluster, @Nullable RedisStandaloneConfiguration standalone) {
		if (sentinel != null) {
			return sentinel;
		}
		if (cluster != null) {
			return cluster;
		}
		return (standalone != null) ? standalone : new RedisStandaloneConfiguration();
	}

	// One class for each optional client, so that the other one need not be there.

	private static final class Lettuce {

		static void open(RedisConnectionFactory like, MasterAddress address, MasterConnections opened) {
			LettuceConnectionFactory model = (LettuceConnectionFactory) like;
			WithAuthentication servers = servers(model.getSentinelConfiguration(), model.getClusterConfiguration(),
					model.getStandaloneConfiguration());
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					configuration(address, model.getClientConfiguration().isUseSsl(), servers, model.getDatabase()),
					model.getClientConfiguration());
			factory.afterPropertiesSet();
			factory.start();
			opened.factories().add(factory);
			opened.closing().add(factory::destroy);
		}

	}

	private static final class Jedis {

		static void open(RedisConnectionFactory like, MasterAddress address, MasterConnections opened) {
			JedisConnectionFactory model = (JedisConnectionFactory) like;
			WithAuthentication servers = servers(model.getSentinelConfiguration(), model.getClusterConfiguration(),
					model.getStandaloneConfiguration());
			JedisConnectionFactory factory = new JedisConnectionFactory(
					configuration(address, model.getClientConfiguration().isUseSsl(), servers, model.getDatabase()),
					model.getClientConfiguration());
			factory.afterPropertiesSet();
			factory.start();
			opened.factories().add(factory);
			opened.closing().add(factory::destroy);
		}

	}

}
