package io.lockable.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on the connection that Lettuce shares among all threads. Commands are
 * pipelined: no command waits for the answer to another one.
 *
 * <p>
 * Connecting and closing block, so they run on separate threads. Lettuce restores a lost
 * connection. Only a permanently closed connection is replaced.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private final Supplier<LettucePipeline> connector;

	private final AtomicReference<@Nullable CompletableFuture<LettucePipeline>> pipeline = new AtomicReference<>();

	// Replaces the connection on close, so that no later call opens another one.
	private final CompletableFuture<LettucePipeline> closed = CompletableFuture
		.failedFuture(new LockStoreException("The store is closed"));

	private final SlotRule slots;

	private final TopologyRefresher refresher;

	/**
	 * Creates a runner without a connection.
	 * @param connector connects; may block
	 * @param singleServer whether the client connects to a single server, not to a
	 * cluster
	 * @param refresher watches the answers of a cluster
	 */
	LettuceScriptRunner(Supplier<LettucePipeline> connector, boolean singleServer, TopologyRefresher refresher) {
		this.connector = connector;
		this.slots = new SlotRule(singleServer);
		this.refresher = refresher;
	}

	@Override
	public void run(ScriptCall<?> call) {
		CompletionStage<LettucePipeline> opening = pipeline();
		opening.whenComplete((opened, failure) -> {
			if (failure != null) {
				call.fail(failure);
				return;
			}
			opened.run(call);
			if (!this.slots.isSingleServer()) {
				this.refresher.watch(call.outcome());
			}
		});
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
			opening.complete(this.connector.get());
		}
		catch (Throwable ex) {
			openingFailed(opening, ex);
		}
	}

	private void openingFailed(CompletableFuture<LettucePipeline> opening, Throwable failure) {
		this.pipeline.compareAndSet(opening, null);
		opening.completeExceptionally(failure);
	}

	private static void inBackground(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
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
