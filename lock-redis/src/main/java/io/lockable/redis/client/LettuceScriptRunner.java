package io.lockable.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;

/**
 * Runs scripts on the connection that Lettuce shares among all threads. Commands are
 * pipelined: no command waits for the answer to another one.
 *
 * <p>
 * Connecting and closing block, so they run on threads of the runtime. Lettuce restores a
 * lost connection. Only a permanently closed connection is replaced.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private final Supplier<LettucePipeline> connector;

	private final AtomicReference<CompletableFuture<LettucePipeline>> pipeline = new AtomicReference<>(
			CompletableFuture.failedFuture(new IllegalStateException("Not connected yet")));

	private volatile boolean closed;

	private volatile Runnable replaced = () -> {
	};

	private final SlotRule slots;

	private final ClusterTopology topology;

	private final EngineRuntime runtime;

	/**
	 * Creates a runner without a connection.
	 * @param connector connects; may block
	 * @param singleServer whether the client connects to a single server, not to a
	 * cluster
	 * @param topology watches the answers of a cluster
	 * @param runtime connects
	 */
	LettuceScriptRunner(Supplier<LettucePipeline> connector, boolean singleServer, ClusterTopology topology,
			EngineRuntime runtime) {
		this.connector = connector;
		this.slots = new SlotRule(singleServer);
		this.topology = topology;
		this.runtime = runtime;
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
				this.topology.watch(call.outcome());
			}
		});
	}

	private CompletableFuture<LettucePipeline> pipeline() {
		CompletableFuture<LettucePipeline> current = this.pipeline.get();
		while (!isUsable(current)) {
			// No connection yet, a failed attempt, or a stopped connection factory, which
			// may have been restarted
			CompletableFuture<LettucePipeline> former = current;
			CompletableFuture<LettucePipeline> opening = new CompletableFuture<>();
			if (this.pipeline.compareAndSet(former, opening)) {
				this.runtime.execute(Work.STEP, () -> open(opening, former));
				return opening;
			}
			current = this.pipeline.get();
		}
		return current;
	}

	private boolean isUsable(CompletableFuture<LettucePipeline> current) {
		return this.closed || !current.isDone() || (!current.isCompletedExceptionally() && !current.join().isClosed());
	}

	private void open(CompletableFuture<LettucePipeline> opening, CompletionStage<LettucePipeline> former) {
		try {
			opening.complete(this.connector.get());
		}
		catch (Throwable ex) {
			opening.completeExceptionally(ex);
		}
		former.thenAccept((closedForGood) -> {
			closedForGood.close();
			this.replaced.run();
		});
	}

	@Override
	public void onReplaced(Runnable action) {
		this.replaced = action;
	}

	@Override
	public SlotRule slots() {
		return this.slots;
	}

	@Override
	public Object server(byte[] key) {
		CompletableFuture<LettucePipeline> current = this.pipeline.get();
		String server = (current.isDone() && !current.isCompletedExceptionally()) ? current.join().server(key) : null;
		return (server != null) ? server : this;
	}

	@Override
	public void close() {
		this.closed = true;
		CompletionStage<LettucePipeline> last = this.pipeline
			.getAndSet(CompletableFuture.failedFuture(new LockStoreException("The store is closed")));
		last.thenAccept(LettucePipeline::close);
	}

}
