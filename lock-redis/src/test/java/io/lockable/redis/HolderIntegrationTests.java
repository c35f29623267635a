package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.engine.inspection.InspectedLock;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.inspection.LockSurvey;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks of other JVMs: their holders are named, and their deadlocks are found.
 */
@Tag("extended")
class HolderIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final LockOptions BRIEF = Instance.waiting(Duration.ofSeconds(8));

	private static final RedisTestServer server = RedisServers.shared();

	@AutoClose
	private final Instance instance = Instance.start(RedisClients.LETTUCE, server,
			(builder) -> builder.application("audit"));

	private final List<ChildJvm> children = new ArrayList<>();

	private final String key = Instance.newKey();

	@AfterEach
	void kill() {
		this.children.forEach(ChildJvm::close);
	}

	private ChildJvm start(String application, String held, String requested, String action) {
		ChildJvm child = ChildJvm.start(HoldingChild.class, server.host(), Integer.toString(server.port()), application,
				held, requested, action);
		this.children.add(child);
		return child;
	}

	@Test
	void holderInAnotherJvmIsNamed() throws Exception {
		ChildJvm child = start("shop", this.key, "unused", "REPORT");
		assertThat(child.awaitReport(LONG)).isEqualTo("held");
		String thread = "'payments' of shop@";
		String process = ":" + child.process().pid() + ", for ";
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.instance.get(this.key, BRIEF).run(() -> {
			}))
			.withMessageStartingWith("Lock '%s' was not acquired within 8s: another owner holds it: %s", this.key,
					thread)
			.withMessageContaining(process)
			.withMessageEndingWith("s in Shop.pay");
		// A holder that is slow to answer is null.
		InspectedLock inspected = await().atMost(LONG)
			.until(() -> this.instance.engine().inspect(this.key), (each) -> !each.holders().contains(null));
		assertThat(inspected.holders()).singleElement().satisfies(this::isOfChild);
		String owner = inspected.lock().holders().get(0).owner();
		assertThat(inspected.holders().get(0).owner()).endsWith("…").hasSizeLessThan(owner.length());
		LockSurvey survey = this.instance.engine().survey(Duration.ofSeconds(5));
		assertThat(survey.instances()).filteredOn((each) -> each.name().startsWith("shop@"))
			.singleElement()
			.satisfies((each) -> assertThat(each.held()).singleElement().satisfies(this::isOfChild));
	}

	private void isOfChild(LockInfo holder) {
		assertThat(holder.key()).isEqualTo(this.key);
		assertThat(holder.instance()).matches("shop@.+:" + this.children.get(0).process().pid());
		assertThat(holder.thread()).isEqualTo("payments");
		assertThat(holder.name()).isEqualTo("Shop.pay");
		assertThat(holder.remaining()).isPositive();
	}

	@Test
	void frozenHolderDelaysNoAnswerBeyondItsBound() throws Exception {
		ChildJvm child = start("shop", this.key, "unused", "REPORT");
		assertThat(child.awaitReport(LONG)).isEqualTo("held");
		await().atMost(LONG).until(() -> this.instance.engine().inspect(this.key).holders().get(0) != null);
		signal(child, "STOP");
		try {
			long start = System.nanoTime();
			assertThat(this.instance.engine().inspect(this.key).holders()).containsExactly((LockInfo) null);
			LockSurvey survey = this.instance.engine().survey(Duration.ofSeconds(1));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
			assertThat(survey.silent()).isEqualTo(1);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.instance.get(this.key, BRIEF).run(() -> {
				}))
				.withMessageContaining("whose instance does not answer");
		}
		finally {
			signal(child, "CONT");
		}
	}

	private static void signal(ChildJvm child, String signal) throws Exception {
		assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(child.process().pid())).start().waitFor())
			.isZero();
	}

	@Test
	void garbageInTheInboxIsIgnored() throws Exception {
		ChildJvm child = start("shop", this.key, "unused", "REPORT");
		assertThat(child.awaitReport(LONG)).isEqualTo("held");
		await().atMost(LONG).until(() -> this.instance.engine().inspect(this.key).holders().get(0) != null);
		for (String garbage : List.of("text", "text ", "text ask", "text ask 1 ../x\nholder", "text answer 1\n%zz",
				"text ask x y\nall", "text answer " + "9".repeat(30),
				"text ask 1 abcdef\nholder " + "k".repeat(100_000), "text " + "x ".repeat(600_000),
				"text ask 1 abcdef\n", "\u0000")) {
			server.call("PUBLISH", "lockable:inbox:all", garbage);
		}
		await().atMost(LONG).until(() -> this.instance.engine().inspect(this.key).holders().get(0) != null);
		assertThat(this.instance.engine().survey(Duration.ofSeconds(5)).instances()).hasSizeGreaterThanOrEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "REPORT", "BREAK" })
	void circleOfThreeJvmsIsReportedOnceByItsYoungest(String action) throws Exception {
		List<ChildJvm> circle = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			ChildJvm child = start("app-" + i, this.key + i, this.key + (i + 1) % 3, action);
			assertThat(child.awaitReport(LONG)).isEqualTo("held");
			circle.add(child);
		}
		for (int i = 0; i < 3; i++) {
			circle.get(i).goAhead();
			int waiting = i + 1;
			await().atMost(LONG).until(() -> waitersOf(this.key, waiting) == waiting);
		}
		String found;
		try (Hiccups hiccups = Hiccups.start()) {
			long closed = System.nanoTime();
			found = circle.get(2).awaitReport(LONG);
			assertThat(Duration.ofNanos(System.nanoTime() - closed)).as("the time to the report")
				.isLessThan(hiccups.allow(Duration.ofSeconds(5)));
		}
		assertThat(found).startsWith("found 'payments' of app-2@");
		for (int i = 0; i < 3; i++) {
			assertThat(found).contains("'payments' of app-%d@".formatted(i), "holds '%s%d'".formatted(this.key, i),
					"waits for '%s%d'".formatted(this.key, (i + 1) % 3));
		}
		if (action.equals("REPORT")) {
			await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
			assertThat(circle).noneMatch(ChildJvm::hasReport);
		}
		else {
			assertThat(circle.get(2).awaitReport(LONG)).startsWith("deadlock Lock '%s0'".formatted(this.key));
			assertThat(circle.get(2).awaitReport(LONG)).isEqualTo("released");
			assertThat(circle.get(1).awaitReport(LONG)).isEqualTo("entered");
			assertThat(circle.get(0).awaitReport(LONG)).isEqualTo("entered");
		}
	}

	private static int waitersOf(String key, int circle) {
		int count = 0;
		for (int i = 0; i < circle; i++) {
			count += Integer.parseInt(server.call("LLEN", "{" + key + (i + 1) % 3 + "}:queue"));
		}
		return count;
	}

}
