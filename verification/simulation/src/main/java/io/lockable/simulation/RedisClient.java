package io.lockable.simulation;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The Redis client of one instance, for one server.
 */
interface RedisClient extends RedisConnectionFactory {

	/**
	 * Returns whether a command that is not answered mentions a text.
	 * @param text the text, such as an owner token
	 * @return whether such a command is open
	 */
	boolean isOpenFor(String text);

}
