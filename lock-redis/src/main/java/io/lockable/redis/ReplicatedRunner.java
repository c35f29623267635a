package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.LockStoreException;

/**
 * Runs scripts and waits until replicas have what they wrote.
 *
 * <p>
 * {@code WAIT} covers what its own connection wrote, and holds up everything behind it.
 * So both are sent together, on a connection that nobody else uses until {@code WAIT} is
 * answered, and never again if it is not.
 */
interface ReplicatedRunner extends AutoCloseable {

	/**
	 * Runs a script as {@link ScriptRunner#run} does.
	 * @param script the script
	 * @param keys its keys, all in one hash slot
	 * @param arguments its arguments
	 * @param answer reads the integers that the script answers
	 * @param counts whether what the script answered counts only once replicas have it;
	 * else it is the answer at once
	 * @param <T> the answer's type
	 * @return the answer; or a {@link LockStoreException}, also if too few replicas have
	 * acknowledged in time: what the script did is done on the master then, and may be on
	 * replicas
	 */
	<T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments, Function<List<Long>, T> answer,
			Predicate<List<Long>> counts);

	@Override
	void close();

}
