package io.lockable.redis.lettuce;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.redis.Crew;
import io.lockable.redis.script.LockKeys;
import io.lockable.redis.script.LockScripts;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptCall.Mode;
import io.lockable.redis.script.SlotRule;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyCollection;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LettucePipeline}.
 */
@Timeout(30)
class LettucePipelineTests {

	private final EventExecutor eventLoop = new DefaultEventExecutor();

	private final StatefulConnection<byte[], byte[]> connection = mock();

	private final RedisConnection handle = mock();

	private final List<List<RedisCommand<byte[], byte[], ?>>> writes = new ArrayList<>();

	private LettucePipeline pipeline;

	@BeforeEach
	void connect() {
		AbstractRedisAsyncCommands<byte[], byte[]> commands = mock();
		given(commands.getConnection()).willReturn(this.connection);
		given(this.handle.getNativeConnection()).willReturn(commands);
		given(this.connection.dispatch(anyCommand())).willAnswer((call) -> {
			write(Collections.singletonList(call.getArgument(0)));
			return call.getArgument(0);
		});
		given(this.connection.dispatch(anyCollection())).willAnswer((call) -> write(call.getArgument(0)));
		this.pipeline = LettucePipeline.on(this.handle, new SlotRule(true));
	}

	@AfterEach
	void shutDown() {
		this.eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
	}

	@Test
	void callBeforeTheFirstAnswerIsWrittenAtOnce() {
		this.pipeline.run(call("a"));
		assertThat(written()).containsExactly(List.of("a"));
	}

	@Test
	void callsThatWaitForTheEventLoopAreWrittenTogetherInOrder() throws Exception {
		answered();
		CountDownLatch busy = new CountDownLatch(1);
		this.eventLoop.execute(() -> awaitUninterruptibly(busy));
		List.of("a", "b", "c").forEach((key) -> this.pipeline.run(call(key)));
		assertThat(this.writes).isEmpty();
		busy.countDown();
		settle();
		assertThat(written()).containsExactly(List.of("a", "b", "c"));
	}

	@Test
	void acquisitionsThatWaitForTheEventLoopAreOneCommand() throws Exception {
		answered();
		CountDownLatch busy = new CountDownLatch(1);
		this.eventLoop.execute(() -> awaitUninterruptibly(busy));
		List<String> answers = new ArrayList<>();
		List.of("a", "b").forEach((key) -> this.pipeline.run(acquisition(key, answers)));
		this.pipeline.run(call("c"));
		busy.countDown();
		settle();
		assertThat(this.writes).hasSize(1);
		List<RedisCommand<byte[], byte[], ?>> commands = this.writes.get(0);
		assertThat(commands).hasSize(2);
		answer(commands.get(0), 7L, 8L);
		assertThat(answers).containsExactly("a 7", "b 8");
	}

	@Test
	void partThatHasToBeRunAloneIsWrittenByItself() throws Exception {
		answered();
		CountDownLatch busy = new CountDownLatch(1);
		this.eventLoop.execute(() -> awaitUninterruptibly(busy));
		List<String> answers = new ArrayList<>();
		List.of("a", "b", "c").forEach((key) -> this.pipeline.run(acquisition(key, answers)));
		busy.countDown();
		settle();
		CountDownLatch again = new CountDownLatch(1);
		this.eventLoop.execute(() -> {
			answer(this.writes.get(0).get(0), SlotRule.FAILED, 8L, SlotRule.FAILED);
			again.countDown();
		});
		again.await();
		settle();
		assertThat(answers).containsExactly("b 8");
		assertThat(written()).last().asInstanceOf(InstanceOfAssertFactories.LIST).containsExactly("a", "c");
		answer(this.writes.get(1).get(1), 9L);
		assertThat(answers).containsExactly("b 8", "c 9");
	}

	@Test
	void scriptThatTheServerDoesNotKnowIsSentByItsSource() {
		List<String> answers = new ArrayList<>();
		this.pipeline.run(acquisition("a", answers));
		RedisCommand<byte[], byte[], ?> unknown = this.writes.get(0).get(0);
		assertThat(unknown.getType()).isEqualTo(CommandType.EVALSHA);
		unknown.completeExceptionally(new RedisNoScriptException("NOSCRIPT No matching script"));
		RedisCommand<byte[], byte[], ?> bySource = this.writes.get(1).get(0);
		assertThat(bySource.getType()).isEqualTo(CommandType.EVAL);
		bySource.completeExceptionally(new RedisNoScriptException("NOSCRIPT raised by the script itself"));
		assertThat(answers).singleElement().asString().contains("NOSCRIPT");
		assertThat(this.writes).hasSize(2);
	}

	@Test
	void everyCallIsWrittenOnceWhenManyThreadsSend() throws Exception {
		answered();
		int count = 20_000;
		ScriptCall call = call("a");
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
		answered();
		List<Integer> writesSeen = this.eventLoop.submit(() -> {
			this.pipeline.run(call("a"));
			List<Integer> seen = new ArrayList<>();
			for (int answer = 0; answer < 4; answer++) {
				this.pipeline.answered();
				seen.add(this.writes.size());
			}
			return seen;
		}).get();
		assertThat(writesSeen).startsWith(0).endsWith(1);
		assertThat(written()).containsExactly(List.of("a"));
	}

	@Test
	void callSentByTheAnswerOfAFailedOneIsWritten() throws Exception {
		answered();
		RedisException closed = new RedisException("Connection is closed");
		willAnswer((call) -> {
			Collection<RedisCommand<byte[], byte[], ?>> batch = call.getArgument(0);
			if (batch.stream().anyMatch((command) -> key(command).equals("fails"))) {
				throw closed;
			}
			return write(batch);
		}).given(this.connection).dispatch(anyCollection());
		CompletableFuture<Throwable> failed = new CompletableFuture<>();
		this.pipeline.run(call("fails", (integers, failure, sentOnce) -> {
			this.pipeline.run(call("next"));
			failed.complete(failure);
		}));
		settle();
		assertThat(failed).isCompletedWithValue(closed);
		assertThat(written()).containsExactly(List.of("next"));
	}

	@Test
	void callThatCannotBeWrittenIsAnswered() {
		CompletableFuture<Throwable> failed = new CompletableFuture<>();
		this.pipeline.run(new ScriptCall(LuaScript.ofInteger("absent"), LockKeys.ofLock("a"), new byte[0][],
				Mode.JOINABLE, (integers, failure, sentOnce) -> failed.complete(failure)));
		assertThat(failed).isCompletedWithValueMatching((failure) -> failure.getMessage().contains("absent.lua"));
	}

	@Test
	void copiesOfACommandAreCountedButNotThoseThatAServerRefused() {
		List<Boolean> sentOnce = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			this.pipeline.run(call("a", (integers, failure, once) -> sentOnce.add(once)));
			command(i).encode(Unpooled.buffer());
		}
		command(1).encode(Unpooled.buffer());
		command(2).getOutput().setError(StandardCharsets.US_ASCII.encode("MOVED 1 127.0.0.1:2"));
		command(2).getOutput().setError((String) null);
		command(2).encode(Unpooled.buffer());
		for (int i = 0; i < 3; i++) {
			answer(command(i), 0);
		}
		assertThat(sentOnce).containsExactly(true, false, true);
	}

	@Test
	void copyThatCameBeforeTheServerForgotTheScriptStillCounts() {
		List<Boolean> sentOnce = new ArrayList<>();
		this.pipeline.run(call("a", (integers, failure, once) -> sentOnce.add(once)));
		command(0).encode(Unpooled.buffer());
		command(0).encode(Unpooled.buffer());
		command(0).getOutput().setError(StandardCharsets.US_ASCII.encode("NOSCRIPT No matching script"));
		command(0).completeExceptionally(new RedisNoScriptException("NOSCRIPT No matching script"));
		command(1).encode(Unpooled.buffer());
		answer(command(1), 0);
		assertThat(sentOnce).containsExactly(false);
	}

	@Test
	void callsForAClusterAreWrittenOneByOne() throws Exception {
		LettucePipeline cluster = LettucePipeline.on(this.handle, new SlotRule(false));
		this.eventLoop.submit(cluster::answered).get();
		List<String> answers = new ArrayList<>();
		List.of("a", "b").forEach((key) -> cluster.run(acquisition(key, answers)));
		assertThat(written()).containsExactly(List.of("a"), List.of("b"));
	}

	@Test
	void callIsWrittenByItsSenderOnceTheEventLoopHasEnded() throws Exception {
		answered();
		this.eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).get();
		this.pipeline.run(call("a"));
		assertThat(written()).containsExactly(List.of("a"));
	}

	private void answered() throws Exception {
		this.eventLoop.submit(this.pipeline::answered).get();
	}

	private void settle() throws Exception {
		// Twice: the first drain may have scheduled another.
		this.eventLoop.submit(() -> {
		}).get();
		this.eventLoop.submit(() -> {
		}).get();
	}

	private Collection<RedisCommand<byte[], byte[], ?>> write(Collection<RedisCommand<byte[], byte[], ?>> batch) {
		this.writes.add(List.copyOf(batch));
		return batch;
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

	private static void answer(RedisCommand<byte[], byte[], ?> command, long... integers) {
		command.getOutput().multi(integers.length);
		for (long integer : integers) {
			command.getOutput().set(integer);
		}
		command.complete();
	}

	private static ScriptCall call(String key) {
		return call(key, (integers, failure, sentOnce) -> {
		});
	}

	private static ScriptCall call(String key, ScriptCall.Callback answered) {
		return new ScriptCall(LuaScript.ofInteger("keep"), LockKeys.ofLock(key), new byte[0][], Mode.JOINABLE,
				answered);
	}

	private static ScriptCall acquisition(String key, List<String> answers) {
		return new ScriptCall(LockScripts.ACQUIRE, LockKeys.ofFree(key),
				new byte[][] { ScriptArguments.bytes("owner"), ScriptArguments.bytes("1000") }, Mode.JOINABLE,
				(integers, failure, sentOnce) -> answers
					.add(key + ' ' + ((integers != null) ? integers.get(0) : failure)));
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
