package io.lockable.spring.call;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockUpgradeException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;
import io.lockable.spring.LocksInMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for readers and writers among annotated methods.
 */
@Timeout(30)
class LockTypeTests {

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner()
		.withPropertyValues("distributed-lock.wait-time=1s")
		.withBean(Library.class);

	@Test
	void readersReadTogether() {
		run((library) -> assertThat(library.read(() -> onAnotherThread(() -> library.read(() -> "both"))))
			.isEqualTo("both"));
	}

	@Test
	void readerShutsOutWriters() {
		run((library) -> library.read(() -> {
			assertRefused(() -> library.write(() -> "never"));
			assertRefused(() -> library.exclude(() -> "never"));
			return "";
		}));
	}

	@Test
	void writerShutsOutReadersAndWriters() {
		run((library) -> library.write(() -> {
			assertRefused(() -> library.read(() -> "never"));
			assertRefused(() -> library.write(() -> "never"));
			return "";
		}));
	}

	@Test
	void writerMayRead() {
		run((library) -> assertThat(library.write(() -> library.read(() -> "read"))).isEqualTo("read"));
	}

	@Test
	void readerThatWantsToWriteFailsAtOnce() {
		run((library) -> assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> library.read(() -> library.write(() -> "never"))));
	}

	@Test
	void reactiveWriterMayRead() {
		run((library) -> assertThat(library.writeLater(library.readLater(Mono.just("read"))).block())
			.isEqualTo("read"));
	}

	@Test
	void reactiveReaderThatWantsToWriteFailsAtOnce() {
		run((library) -> assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> library.readLater(library.writeLater(Mono.just("never"))).block())
			.withMessageContaining("disLock:book"));
	}

	@Test
	void stageOfAThreadThatHoldsAnySideFailsAtOnceInsteadOfWaitingForItself() {
		run((library) -> {
			assertWouldWaitForItself(library.write(library::startReading));
			assertWouldWaitForItself(library.read(library::startWriting));
			assertWouldWaitForItself(library.read(library::startExcluding));
			assertWouldWaitForItself(library.exclude(library::startReading));
			assertThat(library.startReading()).isCompletedWithValue("read");
		});
	}

	private static void assertWouldWaitForItself(CompletableFuture<String> result) {
		assertThat(result).isCompletedExceptionally();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
			.havingCause()
			.isExactlyInstanceOf(LockException.class)
			.withMessageContaining("would wait for itself");
	}

	private void run(ThrowingConsumer test) {
		this.contextRunner.run((context) -> test.accept(context.getBean(Library.class)));
	}

	private static void assertRefused(Callable<String> call) {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> onAnotherThread(call));
	}

	private static <T> T onAnotherThread(Callable<T> call) throws Exception {
		CompletableFuture<T> outcome = new CompletableFuture<>();
		new Thread(() -> {
			try {
				outcome.complete(call.call());
			}
			catch (Throwable ex) {
				outcome.completeExceptionally(ex);
			}
		}).start();
		try {
			return outcome.get(20, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
	}

	interface ThrowingConsumer {

		void accept(Library library) throws Exception;

	}

	/**
	 * A bean whose methods share one lock.
	 */
	public static class Library {

		@DistributedLockable(key = "book", type = LockType.READ)
		public <T> T read(Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "book", type = LockType.WRITE)
		public <T> T write(Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "book")
		public <T> T exclude(Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLockable(key = "book", type = LockType.READ, waitTime = 60)
		public CompletableFuture<String> startReading() {
			return CompletableFuture.completedFuture("read");
		}

		@DistributedLockable(key = "book", type = LockType.WRITE, waitTime = 60)
		public CompletableFuture<String> startWriting() {
			return CompletableFuture.completedFuture("written");
		}

		@DistributedLockable(key = "book", waitTime = 60)
		public CompletableFuture<String> startExcluding() {
			return CompletableFuture.completedFuture("written");
		}

		@DistributedLockable(key = "book", type = LockType.READ)
		public Mono<String> readLater(Mono<String> body) {
			return body;
		}

		@DistributedLockable(key = "book", type = LockType.WRITE)
		public Mono<String> writeLater(Mono<String> body) {
			return body;
		}

	}

}
