package io.lockable.redis.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.LockStoreException;
import io.lockable.redis.Crew;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.LuaScript.Trait;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyCollection;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LettucePipeline}.
 */
@Timeout(30)
class LettucePipelineTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final EventExecutor eventLoop = new DefaultEventExecutor();

	private final StatefulConnection<byte[], byte[]> connection = mock();

	private final List<List<RedisCommand<byte[], byte[], ?>>> writes = new ArrayList<>();

	private final LettucePipeline pipeline = new LettucePipeline(this.connection, () -> {
	});

	@BeforeEach
	void connect() {
		writesOf(this.connection);
	}

	private void writesOf(StatefulConnection<byte[], byte[]> connection) {
		given(connection.dispatch(anyCommand())).willAnswer((call) -> {
			this.writes.add(List.of(call.<RedisCommand<byte[], byte[], ?>>getArgument(0)));
			return call.getArgument(0);
		});
		given(connection.dispatch(anyCollection())).willAnswer((call) -> {
			this.writes.add(List.copyOf(call.<Collection<RedisCommand<byte[], byte[], ?>>>getArgument(0)));
			return call.getArgument(0);
		});
	}

	@AfterEach
	void shutDown() {
		this.eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
	}

	@Test
	void callBeforeTheFirstAnswerIsWrittenAtOnce() {
		run("a");
		assertThat(written()).containsExactly(List.of("a"));
	}

	@Test
	void callsThatWaitForTheEventLoopAreWrittenTogetherInOrder() throws Exception {
		answerOnEventLoop(this.pipeline);
		CountDownLatch busy = new CountDownLatch(1);
		this.eventLoop.execute(() -> awaitUninterruptibly(busy));
		List.of("a", "b", "c").forEach(this::run);
		assertThat(this.writes).isEmpty();
		busy.countDown();
		settle();
		assertThat(written()).containsExactly(List.of("a", "b", "c"));
	}

	@Test
	void scriptThatTheServerDoesNotKnowIsSentByItsSource() {
		CompletableFuture<Long> outcome = run("a");
		assertThat(command(0).getType()).isEqualTo(CommandType.EVALSHA);
		command(0).completeExceptionally(new RedisNoScriptException("NOSCRIPT No matching script"));
		assertThat(command(1).getType()).isEqualTo(CommandType.EVAL);
		command(1).completeExceptionally(new RedisNoScriptException("NOSCRIPT raised by the script itself"));
		assertThat(outcome).failsWithin(SOON).withThrowableThat().withMessageContaining("raised by the script itself");
		assertThat(this.writes).hasSize(2);
	}

	@Test
	void scriptThatIsAlwaysSentByItsSourceIsSo() {
		this.pipeline.run(call(LuaScript.ofInteger("keep", Trait.BY_SOURCE), "a"));
		assertThat(command(0).getType()).isEqualTo(CommandType.EVAL);
	}

	@Test
	void everyCallIsWrittenOnceWhenManyThreadsSend() throws Exception {
		answerOnEventLoop(this.pipeline);
		int count = 20_000;
		ScriptCall<Long> call = call("a");
		try (Crew crew = new Crew()) {
			crew.startAll(4, () -> {
				for (int i = 0; i < count; i++) {
					this.pipeline.run(call);
				}
			});
			crew.join(Duration.ofSeconds(20));
		}
		settle();
		assertThat(this.writes.stream().mapToInt(List::size).sum()).isEqualTo(4 * count);
	}

	@Test
	void answersLetWaitingCallsGoBeforeTheEventLoopComesRound() throws Exception {
		for (int i = 0; i < 5; i++) {
			run("first");
		}
		List<RedisCommand<byte[], byte[], ?>> first = this.writes.stream().flatMap(List::stream).toList();
		this.writes.clear();
		List<Integer> writesSeen = this.eventLoop.submit(() -> {
			answer(first.get(0), 1);
			run("a");
			List<Integer> seen = new ArrayList<>();
			for (int i = 1; i < first.size(); i++) {
				answer(first.get(i), 1);
				seen.add(this.writes.size());
			}
			return seen;
		}).get();
		assertThat(writesSeen).startsWith(0).endsWith(1);
		assertThat(written()).containsExactly(List.of("a"));
	}

	@Test
	void callSentByTheAnswerOfAFailedOneIsWritten() throws Exception {
		answerOnEventLoop(this.pipeline);
		willThrow(new RedisException("no memory")).given(this.connection).dispatch(anyCollection());
		ScriptCall<Long> fails = call("fails");
		fails.outcome().whenComplete((answer, failure) -> run("next"));
		this.eventLoop.submit(() -> {
			this.pipeline.run(fails);
			run("fails as well");
		}).get();
		settle();
		assertThat(fails.outcome()).failsWithin(SOON).withThrowableThat().withMessageContaining("no memory");
		assertThat(written()).containsExactly(List.of("next"));
		assertThat(this.pipeline.isClosed()).isFalse();
	}

	@Test
	void callOfACommandThatLettuceFailsAtOnceEndsAfterTheDispatch() {
		AtomicBoolean dispatched = new AtomicBoolean();
		willAnswer((call) -> {
			call.<LettuceCommand>getArgument(0).completeExceptionally(new RedisException("Connection reset"));
			dispatched.set(true);
			return call.getArgument(0);
		}).given(this.connection).dispatch(anyCommand());
		ScriptCall<Long> call = call("a");
		CompletableFuture<Boolean> ended = call.outcome().handle((answer, failure) -> dispatched.get());
		this.pipeline.run(call);
		assertThat(ended).isCompletedWithValue(true);
	}

	@Test
	void connectionOfACommandThatFailsAsClosedIsClosed() {
		run("a");
		command(0).completeExceptionally(new RedisCommandTimeoutException("Command timed out"));
		assertThat(this.pipeline.isClosed()).isFalse();
		run("b");
		command(1).completeExceptionally(new RedisException("Connection is closed"));
		assertThat(this.pipeline.isClosed()).isTrue();
	}

	@Test
	void connectionThatSaysItIsClosedIsClosed() {
		willThrow(new RedisException("Connection is closed")).given(this.connection).dispatch(anyCommand());
		assertThat(run("a")).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockStoreException.class);
		assertThat(this.pipeline.isClosed()).isTrue();
	}

	@Test
	void callThatCannotBeWrittenIsAnswered() {
		ScriptCall<Long> absent = call(LuaScript.ofInteger("absent"), "a");
		this.pipeline.run(absent);
		assertThat(absent.outcome()).failsWithin(SOON).withThrowableThat().withMessageContaining("absent.lua");
	}

	@Test
	void copiesOfACommandAreCountedButNotThoseThatAServerRefused() {
		List<CompletableFuture<Long>> outcomes = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			outcomes.add(run("a"));
			command(i).encode(Unpooled.buffer());
		}
		command(1).encode(Unpooled.buffer());
		command(2).getOutput().setError(StandardCharsets.US_ASCII.encode("MOVED 1 127.0.0.1:2"));
		command(2).getOutput().setError((String) null);
		command(2).encode(Unpooled.buffer());
		for (int i = 0; i < 3; i++) {
			answer(command(i), 0);
		}
		assertThat(outcomes).extracting(CompletableFuture::join).containsExactly(0L, ScriptCall.SENT_AGAIN, 0L);
	}

	@Test
	void copyThatCameBeforeTheServerForgotTheScriptStillCounts() {
		CompletableFuture<Long> outcome = run("a");
		command(0).encode(Unpooled.buffer());
		command(0).encode(Unpooled.buffer());
		command(0).getOutput().setError(StandardCharsets.US_ASCII.encode("NOSCRIPT No matching script"));
		command(0).completeExceptionally(new RedisNoScriptException("NOSCRIPT No matching script"));
		command(1).encode(Unpooled.buffer());
		answer(command(1), 0);
		assertThat(outcome).isCompletedWithValue(ScriptCall.SENT_AGAIN);
	}

	@Test
	void callsForAClusterAreWrittenOneByOne() throws Exception {
		StatefulRedisClusterConnection<byte[], byte[]> cluster = mock();
		writesOf(cluster);
		LettucePipeline clusterPipeline = new LettucePipeline(cluster, () -> {
		});
		answerOnEventLoop(clusterPipeline);
		List.of("a", "b").forEach((key) -> clusterPipeline.run(call(key)));
		assertThat(written()).containsExactly(List.of("a"), List.of("b"));
	}

	@Test
	void callIsWrittenByItsSenderOnceTheEventLoopHasEnded() throws Exception {
		answerOnEventLoop(this.pipeline);
		this.eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).get();
		run("a");
		assertThat(written()).containsExactly(List.of("a"));
	}

	/**
	 * Answers a first call on the event loop, which the pipeline then knows.
	 */
	private void answerOnEventLoop(LettucePipeline pipeline) throws Exception {
		pipeline.run(call("first"));
		RedisCommand<byte[], byte[], ?> first = command(0);
		this.eventLoop.submit(() -> answer(first, 1)).get();
		this.writes.clear();
	}

	private void settle() throws Exception {
		// Twice: the first drain may have scheduled another.
		this.eventLoop.submit(() -> {
		}).get();
		this.eventLoop.submit(() -> {
		}).get();
	}

	private static RedisCommand<byte[], byte[], Object> anyCommand() {
		return any();
	}

	private List<List<String>> written() {
		return this.writes.stream().map((batch) -> batch.stream().map(LettucePipelineTests::key).toList()).toList();
	}

	private RedisCommand<byte[], byte[], ?> command(int number) {
		return this.writes.get(number).get(0);
	}

	private static String key(RedisCommand<byte[], byte[], ?> command) {
		return new String(Objects.requireNonNull(command.getArgs().getFirstEncodedKey()).array(),
				StandardCharsets.UTF_8);
	}

	private static void answer(RedisCommand<byte[], byte[], ?> command, long integer) {
		command.getOutput().set(integer);
		command.complete();
	}

	private CompletableFuture<Long> run(String key) {
		ScriptCall<Long> call = call(key);
		this.pipeline.run(call);
		return call.outcome();
	}

	private static ScriptCall<Long> call(String key) {
		return call(LuaScript.ofInteger("keep", Trait.FREEING), key);
	}

	private static ScriptCall<Long> call(LuaScript script, String key) {
		return new ScriptCall<>(script, ScriptArguments.bytes(new String[] { key }), new byte[0][],
				(integers) -> integers.get(0), new CompletableFuture<>());
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
