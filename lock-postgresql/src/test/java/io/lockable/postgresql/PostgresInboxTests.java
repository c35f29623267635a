package io.lockable.postgresql;

import java.time.Duration;

import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import org.junit.jupiter.api.Test;

import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

class PostgresInboxTests {

	private final Inbox inbox = mock(Inbox.class);

	@Test
	void grantIsDelivered() {
		PostgresInbox.deliver("132 1 5000 700 4 a ☃🔒\\bb c", this.inbox, new TextParts());
		then(this.inbox).should()
			.granted(new Grant("a ☃🔒", "\\b c", new Granted(101, 132, true, 5000), Duration.ofMillis(700)));
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

	@Test
	void grantThatIsTooLongLetsAllWaitersLook() {
		PostgresInbox.deliver("", this.inbox, new TextParts());
		then(this.inbox).should().resubscribed();
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

	@Test
	void grantOfAHashedKeyLetsAllWaitersLook() {
		String key = StoredText.ofKey("k".repeat(1000));
		PostgresInbox.deliver("132 1 5000 700 " + key.length() + " " + key + "owner", this.inbox, new TextParts());
		then(this.inbox).should().resubscribed();
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

}
