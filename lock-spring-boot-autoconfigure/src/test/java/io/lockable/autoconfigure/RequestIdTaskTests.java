package io.lockable.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.autoconfigure.web.RequestIdAutoConfiguration;
import io.lockable.spring.request.RequestId;
import io.lockable.spring.request.RequestIdTaskDecorator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.slf4j.MDC;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestIdAutoConfiguration} and {@link RequestIdTaskDecorator}.
 */
class RequestIdTaskTests {

	private static final String NOTHING = "null null";

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "spring.task.execution.pool.core-size=1",
				"spring.task.execution.pool.max-size=1")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				RequestIdAutoConfiguration.class, TaskExecutionAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	@AfterEach
	void nothingIsLeftInTheThread() {
		assertThat(known()).isEqualTo(NOTHING);
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void asyncMethodKnowsTheIdAndLeavesNothingInThePool() {
		this.contextRunner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			AtomicReference<CompletableFuture<String>> job = new AtomicReference<>();
			RequestId.run("request-1", () -> job.set(jobs.run()));
			assertThat(job.get().get()).isEqualTo("request-1 request-1");
			assertThat(jobs.run().get()).isEqualTo(NOTHING);
			assertThat(bare(context)).isEqualTo(NOTHING);
		});
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void virtualThreadsKnowTheId() {
		this.contextRunner.withPropertyValues("spring.threads.virtual.enabled=true").run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			AtomicReference<CompletableFuture<String>> job = new AtomicReference<>();
			RequestId.run("request-3", () -> job.set(jobs.run()));
			assertThat(job.get().get()).isEqualTo("request-3 request-3");
			assertThat(jobs.thread().get()).contains("VirtualThread");
		});
	}

	@Test
	void lockOfTheCallerIsSeenInTheTaskAndNotHeldThere() {
		this.contextRunner.run((context) -> {
			DistributedLock lock = context.getBean(DistributedLocks.class).get("order");
			Executor executor = context.getBean("applicationTaskExecutor", Executor.class);
			lock.run(() -> {
				CompletableFuture<String> task = CompletableFuture.supplyAsync(
						() -> LockContext.current().key() + " " + lock.isHeldByCurrentThread() + " " + lock.tryLock(),
						executor);
				assertThat(join(task)).isEqualTo("order false false");
			});
			assertThat(join(CompletableFuture.supplyAsync(LockContext::find, executor))).isEmpty();
		});
	}

	@Test
	void decoratorOfTheApplicationIsUsedAsWellAndIsTheOneThatIsInjected() {
		AtomicInteger decorated = new AtomicInteger();
		TaskDecorator own = (task) -> {
			decorated.incrementAndGet();
			return task;
		};
		this.contextRunner.withBean("own", TaskDecorator.class, () -> own).run((context) -> {
			assertThat(context.getBean(TaskDecorator.class)).isSameAs(own);
			AtomicReference<CompletableFuture<String>> job = new AtomicReference<>();
			RequestId.run("request-4", () -> job.set(context.getBean(Jobs.class).run()));
			assertThat(job.get().get()).isEqualTo("request-4 request-4");
			assertThat(decorated).hasValue(1);
		});
	}

	private static String known() {
		return RequestId.current() + " " + MDC.get("reqId");
	}

	// The request id on a pool thread without a decorated task
	private static String bare(ApplicationContext context) throws ExecutionException, InterruptedException {
		ThreadPoolExecutor pool = context.getBean("applicationTaskExecutor", ThreadPoolTaskExecutor.class)
			.getThreadPoolExecutor();
		FutureTask<String> task = new FutureTask<>(RequestIdTaskTests::known);
		pool.getQueue().add(task);
		pool.prestartCoreThread();
		return task.get();
	}

	private static <T> T join(CompletableFuture<T> future) {
		return future.orTimeout(30, TimeUnit.SECONDS).join();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@Import(Jobs.class)
	static class Application {

	}

	static class Jobs {

		@Async
		CompletableFuture<String> run() {
			return CompletableFuture.completedFuture(known());
		}

		@Async
		CompletableFuture<String> thread() {
			return CompletableFuture.completedFuture(Thread.currentThread().toString());
		}

	}

}
