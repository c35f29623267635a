package io.lockable.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.redis.script.ScriptCall.Mode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ScriptBatch}.
 */
class ScriptBatchTests {

	private final List<String> answers = new ArrayList<>();

	private final List<ScriptCall> alone = new ArrayList<>();

	private final SlotRule slots = new SlotRule(true);

	@Test
	void callByItselfIsLeftAsItIs() {
		ScriptCall call = acquisition("a");
		assertThat(join(call)).containsExactly(call);
	}

	@Test
	void acquisitionsAndReleasesAreOneCallWithTheKeysOfEach() {
		ScriptCall batch = join(acquisition("a"), release("b")).get(0);
		assertThat(batch.script()).isEqualTo(ScriptBatch.SCRIPT);
		assertThat(texts(batch.keys())).containsExactly("a", "{a}:fence", "b", "{b}:fence", "{b}:queue", "{b}:waiters",
				"{b}:holders", "{b}:holder-tokens");
		assertThat(texts(batch.arguments())).containsExactly("owner", "1000", "owner", "-3000");
	}

	@Test
	void orderIsKeptAroundWhatCannotJoin() {
		ScriptCall other = other("c");
		ScriptCall last = release("f");
		List<ScriptCall> joined = join(acquisition("a"), release("b"), other, acquisition("d"), acquisition("e"), other,
				last);
		assertThat(joined).hasSize(5);
		assertThat(texts(joined.get(0).keys())).startsWith("a").contains("b");
		assertThat(joined.get(1)).isEqualTo(other);
		assertThat(texts(joined.get(2).keys())).startsWith("d").contains("e");
		assertThat(joined.subList(3, 5)).containsExactly(other, last);
	}

	@Test
	void whatIsToBeRunAloneDoesNotJoin() {
		ScriptCall first = acquisition("a").in(Mode.ALONE);
		ScriptCall second = acquisition("b").in(Mode.BY_SOURCE);
		assertThat(join(first, second)).containsExactly(first, second);
	}

	@Test
	void batchIsBounded() {
		List<ScriptCall> joined = ScriptBatch.join(
				IntStream.rangeClosed(0, 2 * ScriptBatch.MAX).mapToObj((i) -> acquisition("key-" + i)).toList(),
				this.slots, this.alone::add);
		assertThat(joined).hasSize(3);
		assertThat(joined.get(0).keys()).hasNumberOfRows(2 * ScriptBatch.MAX);
		assertThat(joined.get(2).script()).isEqualTo(LockScripts.ACQUIRE);
	}

	@Test
	void eachGetsItsAnswer() {
		ScriptCall a = acquisition("a");
		ScriptCall b = release("b");
		ScriptCall c = release("c");
		join(a, b, c).get(0).callback().accept(List.of(5L, SlotRule.FAILED, 0L), null, true);
		assertThat(this.answers).containsExactly("a 5", "c 0");
		assertThat(this.alone).containsExactly(b);
	}

	@Test
	void batchThatWasSentAgainLeavesOpenWhetherItHasReleased() {
		join(acquisition("a"), release("b"), release("c")).get(0).callback().accept(List.of(0L, 0L, 1L), null, false);
		assertThat(this.answers).containsExactly("a 0", "b " + ScriptCall.SENT_AGAIN, "c 1");
	}

	@Test
	void refusalOfSomeKeysHasEachRunAlone() {
		ScriptCall a = acquisition("a");
		ScriptCall b = release("b");
		join(a, b).get(0)
			.callback()
			.accept(null, new IllegalStateException("Error in execution",
					new IllegalArgumentException("NOPERM No permissions to access a key")), true);
		assertThat(this.answers).isEmpty();
		assertThat(this.alone).containsExactly(a, b);
	}

	@Test
	void refusalByAProxyHasEachRunAlone() {
		ScriptCall a = acquisition("a");
		ScriptCall b = release("b");
		join(a, b).get(0)
			.callback()
			.accept(null, new IllegalStateException("ERR eval/evalsha command keys must be in same slot"), true);
		assertThat(this.answers).isEmpty();
		assertThat(this.alone).containsExactly(a, b);
	}

	@Test
	void serverThatRefusedSeveralSlotsGetsNoMoreBatches() {
		ScriptCall a = acquisition("a");
		ScriptCall b = release("b");
		join(a, b).get(0)
			.callback()
			.accept(null, new IllegalStateException("CROSSSLOT Keys in request don't hash to the same slot"), true);
		assertThat(this.alone).containsExactly(a, b);
		assertThat(join(a, b)).containsExactly(a, b);
	}

	@Test
	void interruptionOfTheThreadThatWasToSendItHasEachRunAlone() {
		ScriptCall a = acquisition("a");
		ScriptCall b = release("b");
		join(a, b).get(0)
			.callback()
			.accept(null, new IllegalStateException("Could not get a resource", new InterruptedException()), true);
		assertThat(this.answers).isEmpty();
		assertThat(this.alone).containsExactly(a, b);
	}

	@Test
	void otherErrorOfTheServerIsToldToEach() {
		join(acquisition("a"), release("b")).get(0)
			.callback()
			.accept(null, new IllegalStateException("LOADING Redis is loading the dataset in memory"), true);
		assertThat(this.answers).allSatisfy((answer) -> assertThat(answer).contains("LOADING")).hasSize(2);
		assertThat(this.alone).isEmpty();
	}

	@Test
	void lostAnswerIsLostForEach() {
		join(acquisition("a"), release("b")).get(0)
			.callback()
			.accept(null, new IllegalStateException("Connection closed"), true);
		assertThat(this.answers).allSatisfy((answer) -> assertThat(answer).contains("Connection closed")).hasSize(2);
		assertThat(this.alone).isEmpty();
	}

	private List<ScriptCall> join(ScriptCall... calls) {
		return ScriptBatch.join(List.of(calls), this.slots, this.alone::add);
	}

	private ScriptCall acquisition(String key) {
		return call(LockScripts.ACQUIRE, key, LockKeys.ofFree(key), "owner", "1000");
	}

	private ScriptCall release(String key) {
		return call(LockScripts.RELEASE, key, LockKeys.of(key), "owner", "3000", "0");
	}

	private ScriptCall other(String key) {
		return call(LuaScript.ofInteger("keep"), key, LockKeys.ofLock(key));
	}

	private ScriptCall call(LuaScript script, String key, byte[][] keys, String... arguments) {
		return new ScriptCall(script, keys, Stream.of(arguments).map(ScriptArguments::bytes).toArray(byte[][]::new),
				Mode.JOINABLE, (integers, failure, sentOnce) -> this.answers.add(key + ' '
						+ ((integers != null) ? ScriptCall.afterResend(script, integers, sentOnce).get(0) : failure)));
	}

	private static List<String> texts(byte[][] bytes) {
		return Stream.of(bytes).map((text) -> new String(text, StandardCharsets.UTF_8)).toList();
	}

}
