package io.lockable.benchmark.server;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CommandOriginsTests {

	private final CommandOrigins origins = new CommandOrigins();

	@Test
	void commandsInsideOfScriptsAreNotSentByClients() {
		this.origins.add("1.0 [0 127.0.0.1:1] \"EVALSHA\" \"digest\" \"1\" \"key ] [ lua]\"");
		this.origins.add("1.1 [0 lua] \"get\" \"key\"");
		assertThat(this.origins.sentByClients(calls(Map.of("evalsha", 5L, "get", 5L)))).isEqualTo(5);
	}

	@Test
	void commandFromBothCountsByItsShare() {
		this.origins.add("1.0 [0 127.0.0.1:1] \"SET\" \"key\"");
		this.origins.add("1.1 [0 lua] \"set\" \"key\"");
		this.origins.add("1.1 [0 lua] \"set\" \"key\"");
		assertThat(this.origins.sentByClients(calls(Map.of("set", 30L)))).isEqualTo(10, within(1e-9));
	}

	@Test
	void unheardCommandCountsAsSent() {
		assertThat(this.origins.sentByClients(calls(Map.of("client|setinfo", 2L)))).isEqualTo(2);
	}

	@Test
	void lookingAtTheServerDoesNotCount() {
		assertThat(this.origins.sentByClients(calls(Map.of("info", 3L, "monitor", 1L)))).isZero();
	}

	private static ServerFigures calls(Map<String, Long> calls) {
		return new ServerFigures(calls, 0, 0, 0, 0);
	}

}
