package io.lockable.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;

import io.lockable.LockDeadlockException;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockOptions;
import io.lockable.engine.inspection.DeadlockAction;

/**
 * A child process that holds one lock, and after the go-ahead requests another one.
 */
public final class HoldingChild {

	private HoldingChild() {
	}

	/**
	 * Reports {@code held}, then {@code entered}, or {@code deadlock} for a failed call;
	 * and each deadlock as {@code found} with its calls.
	 * @param args host, port, the name of the application, the held lock, the lock to
	 * request, and the reaction to a deadlock
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		LockOptions patient = LockOptions.defaults()
			.withLease(Duration.ofSeconds(60))
			.withWaitTime(Duration.ofSeconds(60))
			.withName("Shop.pay");
		try (Instance instance = Instance.start(RedisClients.LETTUCE, args[0], Integer.parseInt(args[1]),
				(builder) -> builder.application(args[2])
					.deadlock(DeadlockAction.valueOf(args[5]))
					.listener(new LockListener() {

						@Override
						public void onEvent(LockEvent event) {
							if (event instanceof LockEvent.Deadlocked deadlock) {
								ChildJvm.report("found " + String.join(" | ", deadlock.calls()));
							}
						}

					}))) {
			Thread.currentThread().setName("payments");
			instance.get(args[3], patient).run(() -> {
				ChildJvm.report("held");
				request(instance, args[4], patient);
			});
			ChildJvm.report("released");
		}
	}

	private static void request(Instance instance, String key, LockOptions options) {
		try {
			ChildJvm.awaitGoAhead();
			instance.get(key, options).run(() -> ChildJvm.report("entered"));
		}
		catch (LockDeadlockException ex) {
			ChildJvm.report("deadlock " + Optional.ofNullable(ex.getMessage()).orElse(""));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
