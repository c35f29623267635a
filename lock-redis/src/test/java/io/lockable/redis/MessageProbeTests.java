package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.store.Inbox;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link MessageProbe}.
 */
class MessageProbeTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final SystemRuntime runtime = new SystemRuntime();

	private final Inbox inbox = mock(Inbox.class);

	private final List<CompletableFuture<Boolean>> answers = List.of(new CompletableFuture<>(),
			new CompletableFuture<>());

	private final MessageProbe probe = new MessageProbe("lockable:inbox:1", PATIENCE,
			(number) -> this.answers.get((int) number - 1), this.runtime);

	@AfterEach
	void close() {
		this.runtime.close();
	}

	@Test
	void messageThatArrivesBeforeOrAfterTheAnswerChangesNothing() {
		for (int number = 1; number <= 2; number++) {
			CompletionStage<?> ended = this.probe.start(this.inbox);
			arrive(number);
			assertThat(ended).succeedsWithin(PATIENCE);
			this.answers.get(number - 1).complete(true);
			arrive(number);
		}
		assertThat(this.probe.isNotifying()).isTrue();
		then(this.inbox).shouldHaveNoInteractions();
	}

	@Test
	void refusedMessageEndsTheNotificationsUntilALaterOneArrives() {
		CompletionStage<?> refused = this.probe.start(this.inbox);
		this.answers.get(0).complete(false);
		assertThat(refused).succeedsWithin(PATIENCE);
		assertThat(this.probe.isNotifying()).isFalse();
		then(this.inbox).should().resubscribed();
		CompletionStage<?> accepted = this.probe.start(this.inbox);
		arrive(2);
		assertThat(accepted).succeedsWithin(PATIENCE);
		assertThat(this.probe.isNotifying()).isTrue();
		then(this.inbox).should(times(2)).resubscribed();
	}

	@Test
	void refusedMessageIsRepeatedUntilItArrives() {
		CompletableFuture<Boolean> third = new CompletableFuture<>();
		MessageProbe refused = new MessageProbe("lockable:inbox:1", Duration.ofMillis(10), (number) -> {
			if (number == 3) {
				third.complete(true);
			}
			return CompletableFuture.completedFuture(number == 3);
		}, this.runtime);
		refused.start(this.inbox);
		assertThat(third).succeedsWithin(PATIENCE);
		assertThat(refused.handles("probe 3".getBytes(StandardCharsets.US_ASCII), this.inbox)).isTrue();
		Awaitility.await().until(refused::isNotifying);
		then(this.inbox).should(times(2)).resubscribed();
	}

	@Test
	void messageThatDoesNotArriveInTimeEndsTheNotificationsUntilItDoes() {
		CompletionStage<?> ended = this.probe.start(this.inbox);
		this.answers.get(0).complete(true);
		assertThat(ended).succeedsWithin(PATIENCE);
		assertThat(this.probe.isNotifying()).isFalse();
		arrive(1);
		assertThat(this.probe.isNotifying()).isTrue();
		then(this.inbox).should(times(2)).resubscribed();
	}

	@Test
	void probeThatFailsChangesNothing() {
		CompletionStage<?> ended = this.probe.start(this.inbox);
		this.answers.get(0).completeExceptionally(new IllegalStateException("Not connected"));
		assertThat(ended).succeedsWithin(PATIENCE);
		assertThat(this.probe.isNotifying()).isTrue();
		then(this.inbox).shouldHaveNoInteractions();
	}

	@Test
	void earlierProbeDecidesNothing() {
		CompletionStage<?> first = this.probe.start(this.inbox);
		CompletionStage<?> second = this.probe.start(this.inbox);
		this.answers.get(1).complete(false);
		assertThat(second).succeedsWithin(PATIENCE);
		arrive(1);
		assertThat(this.probe.isNotifying()).isFalse();
		arrive(2);
		this.answers.get(0).complete(false);
		assertThat(first).succeedsWithin(PATIENCE);
		assertThat(this.probe.isNotifying()).isTrue();
	}

	@Test
	void otherMessagesAreNoProbes() {
		assertThat(this.probe.handles("busy 1 ab".getBytes(StandardCharsets.US_ASCII), this.inbox)).isFalse();
	}

	private void arrive(int number) {
		assertThat(this.probe.handles(("probe " + number).getBytes(StandardCharsets.US_ASCII), this.inbox)).isTrue();
	}

}
