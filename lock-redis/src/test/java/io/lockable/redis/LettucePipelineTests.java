package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
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
 * Tests of {@link LettucePipeline}.
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
		this.pipeline = LettucePipeline.on(this.handle, true);
	}

	@AfterEach
	void shutDown() {
		this.eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
	}

	@Test
	void commandBeforeTheFirstAnswerIsWrittenAtOnce() {
		AsyncCommand<byte[], byte[], List<Long>> command = command();
		this.pipeline.send(command);
		assertThat(this.writes).containsExactly(List.of(command));
	}

	@Test
	void commandsThatWaitForTheEventLoopAreWrittenTogetherInOrder() throws Exception {
		answered();
		CountDownLatch busy = new CountDownLatch(1);
		this.eventLoop.execute(() -> awaitUninterruptibly(busy));
		List<RedisCommand<byte[], byte[], ?>> commands = List.of(command(), command(), command());
		commands.forEach((command) -> this.pipeline.send((AsyncCommand<byte[], byte[], ?>) command));
		assertThat(this.writes).isEmpty();
		busy.countDown();
		settle();
		assertThat(this.writes).containsExactly(commands);
	}

	@Test
	void everyCommandIsWrittenOnceWhenManyThreadsSend() throws Exception {
		answered();
		int count = 20_000;
		try (Crew crew = new Crew()) {
			crew.startAll(4, () -> {
				for (int i = 0; i < count; i++) {
					this.pipeline.send(command());
				}
			});
			crew.join(Duration.ofSeconds(20));
		}
		settle();
		assertThat(this.writes.stream().flatMap(List::stream).distinct()).hasSize(4 * count);
		assertThat(this.writes.stream().mapToInt(List::size).sum()).isEqualTo(4 * count);
	}

	@Test
	void answersLetWaitingCommandsGoBeforeTheEventLoopComesRound() throws Exception {
		answered();
		AsyncCommand<byte[], byte[], List<Long>> command = command();
		List<Integer> writesSeen = this.eventLoop.submit(() -> {
			this.pipeline.send(command);
			List<Integer> seen = new ArrayList<>();
			for (int answer = 0; answer < 4; answer++) {
				this.pipeline.answered();
				seen.add(this.writes.size());
			}
			return seen;
		}).get();
		assertThat(writesSeen).startsWith(0).endsWith(1);
		assertThat(this.writes).containsExactly(List.of(command));
	}

	@Test
	void commandSentByTheAnswerOfAFailedOneIsWritten() throws Exception {
		answered();
		AsyncCommand<byte[], byte[], List<Long>> failed = command();
		AsyncCommand<byte[], byte[], List<Long>> next = command();
		failed.onComplete((result, failure) -> this.pipeline.send(next));
		RedisException closed = new RedisException("Connection is closed");
		willAnswer((call) -> {
			Collection<RedisCommand<byte[], byte[], ?>> batch = call.getArgument(0);
			if (batch.contains(failed)) {
				throw closed;
			}
			return write(batch);
		}).given(this.connection).dispatch(anyCollection());
		this.pipeline.send(failed);
		settle();
		assertThat(failed).isCompletedExceptionally();
		assertThat(this.writes).containsExactly(List.of(next));
	}

	@Test
	void commandsForAClusterAreWrittenOneByOne() throws Exception {
		LettucePipeline cluster = LettucePipeline.on(this.handle, false);
		this.eventLoop.submit(cluster::answered).get();
		List<AsyncCommand<byte[], byte[], List<Long>>> commands = List.of(command(), command());
		commands.forEach(cluster::send);
		assertThat(this.writes).hasSize(2);
	}

	@Test
	void commandIsWrittenByItsSenderOnceTheEventLoopHasEnded() throws Exception {
		answered();
		this.eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).get();
		AsyncCommand<byte[], byte[], List<Long>> command = command();
		this.pipeline.send(command);
		assertThat(this.writes).containsExactly(List.of(command));
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

	private static AsyncCommand<byte[], byte[], List<Long>> command() {
		return LettucePipeline.script(CommandType.EVALSHA, "digest", new byte[0][], new byte[0][]);
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
