package io.lockable.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.SharingLockStore;

/**
 * A store behind an unreliable network. Commands arrive in the order of their sending, as
 * on one connection. Some commands and answers are lost, and all answers and grants are
 * late. A grant is lost only with its subscription, which is restored.
 */
final class UnreliableStore {

	private static final int PERCENT = 100;

	private final InMemoryLockStore server;

	private final ScheduledExecutorService connection = Executors.newSingleThreadScheduledExecutor();

	private final ScheduledExecutorService network = Executors.newScheduledThreadPool(2);

	private volatile int lossPercent = 3;

	UnreliableStore(InMemoryLockStore server) {
		this.server = server;
	}

	void becomeReliable() {
		this.lossPercent = 0;
	}

	SharingLockStore client() {
		return (SharingLockStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { SharingLockStore.class }, (proxy, method, arguments) -> send(method, arguments));
	}

	void close() {
		this.connection.shutdown();
		this.network.shutdown();
	}

	private Object send(Method method, Object[] arguments) throws Throwable {
		if (method.getReturnType() != CompletionStage.class) {
			return method.getName().equals("close") ? null : call(method, arguments);
		}
		if (method.getName().equals("subscribe")) {
			arguments[0] = late((Inbox) arguments[0]);
		}
		CompletableFuture<Object> answer = new CompletableFuture<>();
		boolean retryable = ThreadLocalRandom.current().nextBoolean();
		LockStoreException failure = new LockStoreException("The network is bad", null, retryable);
		boolean arrives = !isLost();
		this.connection.execute(() -> {
			if (!arrives) {
				later(() -> answer.completeExceptionally(failure));
				return;
			}
			Object value = ((CompletionStage<?>) call(method, arguments)).toCompletableFuture().join();
			later(isLost() ? () -> answer.completeExceptionally(failure) : () -> answer.complete(value));
		});
		return answer;
	}

	private Object call(Method method, Object[] arguments) {
		try {
			return method.invoke(this.server, arguments);
		}
		catch (IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Inbox late(Inbox inbox) {
		return new Inbox() {

			@Override
			public void granted(Grant grant) {
				later(isLost() ? inbox::resubscribed : () -> inbox.granted(grant));
			}

			@Override
			public void resubscribed() {
				later(inbox::resubscribed);
			}

		};
	}

	private void later(Runnable delivery) {
		this.network.schedule(delivery, ThreadLocalRandom.current().nextInt(1_000), TimeUnit.MICROSECONDS);
	}

	private boolean isLost() {
		return ThreadLocalRandom.current().nextInt(PERCENT) < this.lossPercent;
	}

}
