package io.lockable.matrix;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.LockNotAcquiredException;
import io.lockable.matrix.AnnotatedApplication.Order;
import io.lockable.matrix.AnnotatedApplication.Till;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.Test;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Annotated methods of two instances.
 */
@With(Part.REDIS)
class AnnotationIntegrationTests {

	private final Instance one = Instance.one();

	private final Instance two = Instance.other();

	@Test
	void methodHoldsTheLockOfItsArgument() throws Exception {
		Order order = new Order("annotated-1");
		boolean locked = this.one.bean(Till.class).pay(order, () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.two.bean(Till.class).pay(order, () -> true));
			return isLocked("disLock:annotated-1");
		});
		assertThat(locked).isTrue();
		assertThat(isLocked("disLock:annotated-1")).isFalse();
	}

	@Test
	void methodWaitsForTheOtherInstance() throws Exception {
		Order order = new Order("annotated-2");
		CountDownLatch entered = new CountDownLatch(1);
		CompletableFuture<Boolean> waiting = new CompletableFuture<>();
		this.one.bean(Till.class).refund(order, () -> {
			waiting.completeAsync(() -> refund(order, entered), new SimpleAsyncTaskExecutor());
			await()
				.until(() -> RedisServers.shared().call("EXISTS", "{disLock:refund-annotated-2}:queue").contains("1"));
			return entered.getCount();
		});
		assertThat(waiting.get(20, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void readersShare() throws Exception {
		int read = this.one.bean(Till.class)
			.count("annotated-3", () -> this.two.bean(Till.class).count("annotated-3", () -> 3));
		assertThat(read).isEqualTo(3);
	}

	@Test
	void methodIsSkipped() {
		AtomicReference<String> ran = new AtomicReference<>("nobody");
		this.one.bean(Till.class)
			.tidy("annotated-4", () -> this.two.bean(Till.class).tidy("annotated-4", () -> ran.set("the other")));
		assertThat(ran).hasValue("nobody");
	}

	@Test
	void futureHoldsTheLockUntilItIsDone() throws Exception {
		CompletableFuture<String> result = new CompletableFuture<>();
		CompletableFuture<String> later = this.one.bean(Till.class).later("annotated-5", result);
		await().until(() -> isLocked("disLock:annotated-5"));
		result.complete("done");
		assertThat(later.get(20, TimeUnit.SECONDS)).isEqualTo("done");
		await().until(() -> !isLocked("disLock:annotated-5"));
	}

	private static boolean refund(Order order, CountDownLatch entered) {
		try {
			return Instance.other().bean(Till.class).refund(order, () -> {
				entered.countDown();
				return true;
			});
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void annotatedBeansRunUnlockedIfLocksAreDisabled() throws Exception {
		try (Instance instance = Instance.onRedis(AnnotatedApplication.class, "distributed-lock.enabled=false")) {
			String ran = instance.bean(Till.class).pay(new Order("42"), () -> "ran");
			assertThat(ran).isEqualTo("ran");
		}
	}

	private static boolean isLocked(String key) {
		return RedisServers.shared().call("EXISTS", key).contains("1");
	}

}
