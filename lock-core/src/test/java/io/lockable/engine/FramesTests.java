package io.lockable.engine;

import java.util.List;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the number of stack frames between a lock and the store.
 */
@SuppressWarnings("LockNotBeforeTry")
class FramesTests {

	private static final int LIMIT = 8;

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private List<String> frames = List.of();

	@Test
	void lockAndUnlockReachTheStoreWithinEightFramesEach() {
		DistributedLock lock = this.instance.engine.get("k", LockOptions.defaults());
		this.instance.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		this.instance.store.beforeSending(Command.ACQUIRE, this::see);
		lock.lock();
		assertThat(this.frames).as("lock()").isNotEmpty().hasSizeLessThanOrEqualTo(LIMIT);
		this.frames = List.of();
		this.instance.store.answering(Command.RELEASE, (call) -> call.say(true));
		this.instance.store.beforeSending(Command.RELEASE, this::see);
		lock.unlock();
		assertThat(this.frames).as("unlock()").isNotEmpty().hasSizeLessThanOrEqualTo(LIMIT);
	}

	private void see() {
		this.frames = StackWalker.getInstance()
			.walk((frames) -> frames.filter((frame) -> frame.getClassName().startsWith("io.lockable")
					&& !frame.getClassName().contains("ScriptedStore") && !frame.getClassName().contains("FramesTests"))
				.map((frame) -> frame.getClassName().replaceAll(".*\\.", "") + '#' + frame.getMethodName())
				.toList());
	}

}
