package io.lockable.redis.lettuce;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lockable.LockStoreException;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptCall.Mode;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts on the connection that Lettuce shares among all threads. Commands are
 * pipelined: no command waits for the answer to another one.
 *
 * <p>
 * Connecting and closing block, so they run on separate threads. Lettuce restores a lost
 * connection. Only a permanently closed connection is replaced.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private final LettuceConnectionFactory connectionFactory;

	private final AtomicReference<@Nullable CompletableFuture<LettucePipeline>> pipeline = new AtomicReference<>();

	// Replaces the connection on close, so that no later call opens another one.
	private final CompletableFuture<LettucePipeline> closed = CompletableFuture
		.failedFuture(new LockStoreException("The store is closed"));

	private final SlotRule slots;

	private final TopologyRefresher refresher;

	LettuceScriptRunner(LettuceConnectionFactory connectionFactory, boolean singleServer) {
		this.connectionFactory = connectionFactory;
		this.slots = new SlotRule(singleServer);
		this.refresher = new TopologyRefresher(connectionFactory);
	}

	@Override
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		CompletableFuture<LettucePipeline> pipeline = pipeline();
		CompletableFuture<T> result = new CompletableFuture<>();
		CompletionStage<LettucePipeline> opening = pipeline;
		opening.whenComplete((opened, failure) -> {
			if (failure != null) {
				result.completeExceptionally(RedisFailures.translate(failure));
			}
			else {
				ScriptCall call = ScriptCall.completing(script, keys, arguments, Mode.JOINABLE, answer, result);
				opened.run(call.before((integers, ex, sentOnce) -> {
					if (ex == null) {
						opened.answered();
					}
					else {
						failed(pipeline, opened, ex);
					}
				}));
				if (!this.slots.isSingleServer()) {
					this.refresher.watch(result);
				}
			}
		});
		return result;
	}

	private CompletableFuture<LettucePipeline> pipeline() {
		CompletableFuture<LettucePipeline> current = this.pipeline.get();
		if (current != null && !isClosed(current)) {
			return current;
		}
		// The connection factory was stopped, and may have been restarted
		if (current != null && this.pipeline.compareAndSet(current, null)) {
			inBackground("lockable-disconnect", current.join()::close);
		}
		CompletableFuture<LettucePipeline> opening = new CompletableFuture<>();
		CompletableFuture<LettucePipeline> earlier = this.pipeline.compareAndExchange(null, opening);
		if (earlier != null) {
			return earlier;
		}
		try {
			inBackground("lockable-connect", () -> open(opening));
		}
		catch (Throwable ex) {
			// No thread could be created: the next command retries
			openingFailed(opening, ex);
		}
		return opening;
	}

	private static boolean isClosed(CompletableFuture<LettucePipeline> current) {
		return current.isDone() && !current.isCompletedExceptionally() && current.join().isClosed();
	}

	private void open(CompletableFuture<LettucePipeline> opening) {
		try {
			RedisConnection handle = this.connectionFactory.getConnection();
			opening.complete(LettucePipeline.on(handle, this.slots));
		}
		catch (Throwable ex) {
			openingFailed(opening, ex);
		}
	}

	private void openingFailed(CompletableFuture<LettucePipeline> opening, Throwable failure) {
		this.pipeline.compareAndSet(opening, null);
		opening.completeExceptionally(failure);
	}

	private void failed(CompletableFuture<LettucePipeline> used, LettucePipeline opened, Throwable failure) {
		if (isClosed(failure) && this.pipeline.compareAndSet(used, null)) {
			inBackground("lockable-disconnect", opened::close);
		}
	}

	/**
	 * Returns whether a failure means that the connection is closed, which only its
	 * message reveals. An open connection is kept: a timeout of one command must not fail
	 * the others in flight.
	 */
	private static boolean isClosed(Throwable failure) {
		if (failure instanceof RedisConnectionException) {
			return true;
		}
		String message = failure.getMessage();
		return failure.getClass() == RedisException.class && message != null
				&& (message.contains("losed") || message.contains("not connected"));
	}

	private static void inBackground(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public boolean isBlocking() {
		return false;
	}

	@Override
	public SlotRule slots() {
		return this.slots;
	}

	@Override
	public Object server(byte[] key) {
		CompletableFuture<LettucePipeline> current = this.slots.isSingleServer() ? null : this.pipeline.get();
		if (current == null || !current.isDone() || current.isCompletedExceptionally()) {
			return this;
		}
		Object server = current.join().server(key);
		return (server != null) ? server : this;
	}

	@Override
	public void close() {
		CompletableFuture<LettucePipeline> current = this.pipeline.getAndSet(this.closed);
		if (current != null) {
			CompletionStage<LettucePipeline> opened = current;
			opened.thenAccept(LettucePipeline::close);
		}
	}

}
