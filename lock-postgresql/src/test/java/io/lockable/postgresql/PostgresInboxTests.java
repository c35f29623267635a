package io.lockable.postgresql;

import java.time.Duration;

import javax.sql.DataSource;

import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import org.junit.jupiter.api.Test;

import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

class PostgresInboxTests {

	private final Inbox inbox = mock(Inbox.class);

	private final PostgresInbox subject = new PostgresInbox(
			new PostgresCommands(mock(DataSource.class), Duration.ofSeconds(1)), new SystemRuntime());

	@Test
	void grantIsDelivered() {
		this.subject.deliver("132 1 5000 700 4 a ☃🔒\\\\b c", this.inbox);
		then(this.inbox).should()
			.granted(new Grant("a ☃🔒", "\\b c", new Granted(101, 132, true, 5000), Duration.ofMillis(700)));
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

	@Test
	void grantThatIsTooLongLetsAllWaitersLook() {
		this.subject.deliver("", this.inbox);
		then(this.inbox).should().resubscribed();
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

	@Test
	void grantOfAHashedKeyLetsAllWaitersLook() {
		String key = StoredText.ofKey("k".repeat(1000));
		this.subject.deliver("132 1 5000 700 " + key.length() + " " + key + "owner", this.inbox);
		then(this.inbox).should().resubscribed();
		then(this.inbox).shouldHaveNoMoreInteractions();
	}

}
