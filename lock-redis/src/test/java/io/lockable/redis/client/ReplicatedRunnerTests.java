package io.lockable.redis.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.redis.client.ReplicaConnections.Node;
import io.lockable.redis.client.ReplicaConnections.Reply;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.LuaScript.Trait;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ReplicatedRunner}.
 */
class ReplicatedRunnerTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final SystemRuntime runtime = new SystemRuntime();

	private final Connections connections = new Connections();

	private final ReplicatedRunner runner = new ReplicatedRunner(servers(), this.connections, 1,
			new ReplicaQuorum(1, (replicas) -> 1, Duration.ofMillis(500), mock()), this.runtime);

	@AfterEach
	void close() {
		this.runner.close();
		this.runtime.close();
	}

	@Test
	void scriptCountsWhenEnoughReplicasAcknowledge() {
		this.connections.replies.add(List.of(value(7), value(1)));
		assertThat(run("a")).succeedsWithin(SOON).isEqualTo(7L);
		assertThat(this.connections.sent).containsExactly("EVALSHA a, WAIT 1");
	}

	@Test
	void scriptThatTooFewReplicasAcknowledgeFails() {
		this.connections.replies.add(List.of(value(7), value(0)));
		assertFails(run("a"), "0 of 1 replicas acknowledged");
	}

	@Test
	void answerThatGivesNothingNeedsNoReplica() {
		this.connections.replies.add(List.of(value(-7), value(0)));
		assertThat(run("a")).succeedsWithin(SOON).isEqualTo(-7L);
	}

	@Test
	void lossIsFinalAmongExtensionsThatTooFewReplicasAcknowledge() {
		this.connections.replies.add(List.of(new Reply(List.of(1L, 0L), null, true), value(0)));
		LuaScript extend = LuaScript.ofList("extend", Trait.EXTENDING);
		assertThat(this.runner.run(extend, ScriptArguments.bytes("a", "b"), new byte[0][], Function.identity()))
			.succeedsWithin(SOON)
			.isEqualTo(List.of(SlotRule.FAILED, 0L));
	}

	@Test
	void whatComesWhileTheConnectionWaitsGoesTogether() {
		this.connections.replies.add(List.of(value(1), value(1)));
		this.connections.replies.add(List.of(value(2), error("ERR no"), value(4), value(1)));
		CountDownLatch acknowledged = new CountDownLatch(1);
		this.connections.acknowledged = acknowledged;
		CompletableFuture<Long> first = run("a");
		await().until(() -> this.connections.sent.size() == 1);
		CompletableFuture<Long> second = run("b");
		CompletableFuture<Long> third = run("c");
		CompletableFuture<Long> fourth = run("d");
		acknowledged.countDown();
		assertThat(first).succeedsWithin(SOON).isEqualTo(1L);
		assertThat(second).succeedsWithin(SOON).isEqualTo(2L);
		assertFails(third, "ERR no");
		assertThat(fourth).succeedsWithin(SOON).isEqualTo(4L);
		assertThat(this.connections.sent).last().isEqualTo("EVALSHA b, EVALSHA c, EVALSHA d, WAIT 1");
	}

	@Test
	void unknownScriptIsSentOnceMoreByItsSource() {
		this.connections.replies.add(List.of(error("NOSCRIPT No matching script"), value(1)));
		this.connections.replies.add(List.of(value(7), value(1)));
		assertThat(run("a")).succeedsWithin(SOON).isEqualTo(7L);
		assertThat(this.connections.sent).containsExactly("EVALSHA a, WAIT 1", "EVAL a, WAIT 1");
	}

	@Test
	void releaseThatAnEarlierCopyMayHaveDoneIsAmbiguous() {
		Reply unknown = new Reply(List.of(), new IllegalStateException("NOSCRIPT No matching script"), false);
		this.connections.replies.add(List.of(unknown, value(1)));
		this.connections.replies.add(List.of(value(0), value(1)));
		assertThat(run(LuaScript.ofInteger("keep", Trait.FREEING, Trait.EXTENDING), "a")).succeedsWithin(SOON)
			.isEqualTo(ScriptCall.SENT_AGAIN);
	}

	@Test
	void redirectionIsFollowed() {
		this.connections.replies.add(List.of(error("MOVED 1 host:1"), value(1)));
		this.connections.replies.add(List.of(value(7), value(1)));
		assertThat(run("a")).succeedsWithin(SOON).isEqualTo(7L);
		assertThat(this.connections.sent).containsExactly("EVALSHA a, WAIT 1", "host:1 EVALSHA a, WAIT 1");
		assertThat(this.connections.refreshed).containsExactly("a");
	}

	@Test
	void scriptOfAMigratingSlotFailsForNow() {
		this.connections.replies.add(List.of(error("ASK 1 host:2"), value(1)));
		assertThat(run("a")).failsWithin(SOON)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockStoreException.class, (failure) -> assertThat(failure.isRetryable()).isTrue());
	}

	@Test
	void redirectionIsNotFollowedForEver() {
		for (int i = 0; i < 6; i++) {
			this.connections.replies.add(List.of(error("MOVED 1 host:1"), value(1)));
		}
		assertFails(run("a"), "MOVED");
		assertThat(this.connections.sent).hasSize(6);
	}

	@Test
	void connectionThatFailsFailsAllThatWasSentOverIt() {
		assertFails(run("a"), "No reply");
		this.connections.replies.add(List.of(value(7), value(1)));
		assertThat(run("a")).succeedsWithin(SOON).isEqualTo(7L);
	}

	private CompletableFuture<Long> run(String key) {
		return run(LuaScript.ofInteger("acquire", Trait.GRANTING), key);
	}

	private CompletableFuture<Long> run(LuaScript script, String key) {
		return this.runner
			.run(script, ScriptArguments.bytes(new String[] { key }), new byte[0][], (integers) -> integers.get(0))
			.toCompletableFuture();
	}

	private static void assertFails(CompletableFuture<Long> result, String message) {
		assertThat(result).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class)
			.withMessageContaining(message);
	}

	private static Reply value(long value) {
		return new Reply(List.of(value), null, true);
	}

	private static Reply error(String message) {
		return new Reply(List.of(), new IllegalStateException(message), true);
	}

	private static ScriptRunner servers() {
		ScriptRunner servers = mock();
		given(servers.server(any())).willReturn("server");
		return servers;
	}

	/**
	 * Connections with prepared replies.
	 */
	private static final class Connections implements ReplicaConnections {

		private final Queue<List<Reply>> replies = new ConcurrentLinkedQueue<>();

		private final List<String> sent = new CopyOnWriteArrayList<>();

		private final List<String> refreshed = new CopyOnWriteArrayList<>();

		private volatile CountDownLatch acknowledged = new CountDownLatch(0);

		@Override
		public List<Reply> send(byte[] key, @Nullable Node node, List<byte[][]> commands) {
			String text = commands.stream().map(Connections::text).collect(Collectors.joining(", "));
			this.sent.add((node != null) ? node + " " + text : text);
			try {
				this.acknowledged.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			List<Reply> next = this.replies.poll();
			if (next == null) {
				throw new IllegalStateException("No reply");
			}
			return next;
		}

		/**
		 * Returns the name of a command, with the key of a script or the number of
		 * replicas.
		 */
		private static String text(byte[][] command) {
			String name = new String(command[0], StandardCharsets.UTF_8);
			int shown = name.startsWith("EVAL") ? 3 : 1;
			return (command.length > shown) ? name + ' ' + new String(command[shown], StandardCharsets.UTF_8) : name;
		}

		@Override
		public void refresh(byte[] key) {
			this.refreshed.add(new String(key, StandardCharsets.UTF_8));
		}

		@Override
		public void close() {
			// Nothing to close.
		}

	}

}
