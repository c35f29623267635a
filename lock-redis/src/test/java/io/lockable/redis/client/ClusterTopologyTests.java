package io.lockable.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lockable.LockStoreException;
import io.lockable.engine.runtime.SystemRuntime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.after;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;

/**
 * Tests for {@link ClusterTopology}.
 */
class ClusterTopologyTests {

	private static final int MILLIS = 10_000;

	private final RedisClusterClient client = mock(RedisClusterClient.class);

	private final LettuceConnectionFactory connectionFactory = mock(LettuceConnectionFactory.class);

	private final SystemRuntime runtime = new SystemRuntime();

	private final ClusterTopology topology = new ClusterTopology(this.connectionFactory, this.runtime);

	@BeforeEach
	void connect() {
		given(this.connectionFactory.getNativeClient()).willReturn(this.client);
	}

	@AfterEach
	void close() {
		this.runtime.close();
	}

	@Test
	void lateAnswerRefreshesAgainAndAgain() {
		CompletableFuture<String> answer = new CompletableFuture<>();
		this.topology.watch(answer);
		then(this.client).should(timeout(MILLIS).times(2)).refreshPartitionsAsync();
		answer.complete("answer");
	}

	@Test
	void answersInTimeDoNot() {
		CompletableFuture<String> answer = new CompletableFuture<>();
		this.topology.watch(answer);
		answer.complete("answer");
		CompletableFuture<String> failure = new CompletableFuture<>();
		this.topology.watch(failure);
		failure.completeExceptionally(
				new LockStoreException("failed", new RedisCommandExecutionException("WRONGTYPE Not a lock")));
		then(this.client).should(after(800).never()).refreshPartitionsAsync();
	}

	@Test
	void failureThatNoServerAnsweredRefreshesAtOnce() {
		CompletableFuture<String> failure = new CompletableFuture<>();
		failure.completeExceptionally(new LockStoreException("failed", new RedisException("No master")));
		this.topology.watch(failure);
		then(this.client).should().refreshPartitionsAsync();
	}

	@Test
	void manyLateAnswersRefreshOnce() {
		CompletableFuture<String> first = new CompletableFuture<>();
		this.topology.watch(first);
		Stream.generate(CompletableFuture::new).limit(99).forEach(this.topology::watch);
		then(this.client).should(timeout(MILLIS)).refreshPartitionsAsync();
		then(this.client).should(after(200).atMost(2)).refreshPartitionsAsync();
	}

	@Test
	void clientThatWasStoppedIsLeftAlone() {
		given(this.connectionFactory.getNativeClient()).willThrow(new IllegalStateException("It has been STOPPED"));
		this.topology.refresh();
		then(this.connectionFactory).should().getNativeClient();
		then(this.client).should(never()).refreshPartitionsAsync();
	}

}
