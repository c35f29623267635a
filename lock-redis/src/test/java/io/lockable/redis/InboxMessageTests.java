package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link InboxMessage}.
 */
class InboxMessageTests {

	private final Inbox inbox = mock(Inbox.class);

	@Test
	void grantIsDelivered() {
		deliver("5 7 1 99 3000 4 ké y owner 1");
		then(this.inbox).should()
			.granted(new Grant("ké ", "y owner 1", new Granted(5, 7, true, 99), Duration.ofSeconds(3)));
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

	@Test
	void recallIsDelivered() {
		deliver("recall 4 8 5 ké hölder 1as k0123456789abcdef");
		then(this.inbox).should().recalled(new Recall("ké ", "hölder ", "1as k", "0123456789abcdef"));
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

	@Test
	void recallOfEmptyTextsIsDelivered() {
		deliver("recall 0 0 0 ");
		then(this.inbox).should().recalled(new Recall("", "", "", ""));
	}

	@Test
	void answerToARecallIsDelivered() {
		deliver("busy 4 ké ö wner");
		then(this.inbox).should().busy("ké ", "ö wner");
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "1", "grant 1 2", "1 2 3 4 5 6 7", "5 1 0 4 5 1 kowner", "recall", "recall ",
			"recall 1 1 1", "recall 1 2 3 k", "recall 1 2 -3 kho", "recall -1 1 1 kho", "recall 99999999999 1 1 k",
			"recall 2147483647 2147483647 2 k", "busy", "busy 5 k", "busy -1 k", "busy x k", "busy 1", "Busy 1 ko" })
	void otherMessageIsAFailureAndDeliversNothing(String message) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> deliver(message));
		then(this.inbox).shouldHaveNoInteractions();
	}

	private void deliver(String message) {
		InboxMessage.deliver(message.getBytes(StandardCharsets.UTF_8), this.inbox);
	}

}
