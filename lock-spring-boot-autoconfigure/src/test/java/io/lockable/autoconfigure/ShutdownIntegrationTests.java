package io.lockable.autoconfigure;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.aop.DistributedLockAopAutoConfiguration;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/**
 * Locks of an application that stops while methods run under them, with a real web server
 * and a real Redis.
 */
@Tag("extended")
class ShutdownIntegrationTests {

	private static final String KEY = "disLock:work";

	private final RedisTestServer server = RedisServers.shared();

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void requestKeepsItsLockWhileTheWebServerDrains(String client) {
		ConfigurableApplicationContext context = start(WebApplicationType.SERVLET, client, Web.class,
				"--distributed-lock.shutdown-timeout=0s", "--server.shutdown=graceful");
		String port = context.getEnvironment().getProperty("local.server.port");
		CompletableFuture<HttpResponse<String>> response = HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(URI.create("http://localhost:%s/".formatted(port))).build(),
					HttpResponse.BodyHandlers.ofString());
		assertWorkKeepsItsLock(context);
		assertThat(response.join().body()).isEqualTo("held");
	}

	@ParameterizedTest
	@CsvSource({ "lettuce, false", "jedis, false", "lettuce, true" })
	void scheduledJobKeepsItsLockUntilItIsDone(String client, boolean virtualThreads) {
		assertWorkKeepsItsLock(start(WebApplicationType.NONE, client, Scheduling.class,
				"--distributed-lock.shutdown-timeout=0s", "--spring.threads.virtual.enabled=" + virtualThreads));
	}

	// As with spring.threads.virtual.enabled: the executor waits in no phase
	@Test
	void asyncMethodOnAThreadOfItsOwnKeepsItsLockForTheShutdownTimeout() {
		ConfigurableApplicationContext context = start(WebApplicationType.NONE, "lettuce",
				AsynchronousWithoutPool.class, "--distributed-lock.shutdown-timeout=1h");
		assertThat(context.getBean("applicationTaskExecutor")).isInstanceOf(SimpleAsyncTaskExecutor.class);
		context.getBean(Callers.class).start();
		assertWorkKeepsItsLock(context);
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void whatIsHeldTooLongIsGivenBackWhileTheConnectionsAreThere(String client) {
		ConfigurableApplicationContext context = start(WebApplicationType.NONE, client, Held.class,
				"--distributed-lock.shutdown-timeout=100ms", "--distributed-lock.lease=1h");
		Progress work = context.getBean(Progress.class);
		assertThat(context.getBean(DistributedLocks.class).get(KEY).tryAcquire()).isPresent();
		assertThat(isHeld()).isTrue();
		context.close();
		assertThat(isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(work.lost).hasValue(1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void applicationThatFailsToStartGivesItsLocksBack(String client) {
		assertThatException()
			.isThrownBy(() -> start(WebApplicationType.NONE, client, FailsHalfWay.class,
					"--distributed-lock.shutdown-timeout=100ms", "--distributed-lock.lease=1h"))
			.withRootCauseInstanceOf(PortInUse.class);
		assertThat(isHeld()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void locksWorkAfterARestartOfTheContext(String client) throws Exception {
		try (ConfigurableApplicationContext context = start(WebApplicationType.NONE, client, Held.class)) {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			for (int i = 0; i < 3; i++) {
				DistributedLock lock = locks.get(KEY,
						LockOptions.defaults().withWaitTime(Duration.ofSeconds(20)).withRenewal(Renewal.OFF));
				// One call waits, so the instance subscribes
				try (Lease lease = lock.acquire()) {
					CompletableFuture<Lease> waiting = lock.acquireAsync();
					assertThat(lease.isHeld()).isTrue();
					lease.release();
					waiting.join().close();
				}
				context.stop();
				context.start();
			}
			locks.get(KEY).run(() -> assertThat(isHeld()).isTrue());
			assertThat(isHeld()).isFalse();
		}
	}

	@Test
	void phaseIsAfterWorkAndBeforeConnections() {
		assertThat(LockEngineLifecycle.PHASE).isLessThan(ExecutorConfigurationSupport.DEFAULT_PHASE)
			.isLessThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE)
			.isPositive();
	}

	private void assertWorkKeepsItsLock(ConfigurableApplicationContext context) {
		Progress work = context.getBean(Progress.class);
		await().untilAsserted(() -> assertThat(work.running).hasValue(1));
		assertThat(isHeld()).isTrue();
		Thread closing = new Thread(context::close, "closing");
		closing.start();
		await().until(context::isClosed);
		await().during(Duration.ofMillis(500)).until(this::isHeld);
		assertThat(closing.isAlive()).isTrue();
		work.done.countDown();
		await().until(() -> !closing.isAlive());
		assertThat(work.finished).hasValue(1);
		assertThat(work.lost).hasValue(0);
		assertThat(isHeld()).isFalse();
	}

	private boolean isHeld() {
		return !this.server.call("GET", KEY).equals("(nil)");
	}

	private ConfigurableApplicationContext start(WebApplicationType web, String client, Class<?> type,
			String... arguments) {
		this.server.call("DEL", KEY);
		return new SpringApplicationBuilder(type).web(web)
			.run(Stream.concat(Stream.of("--spring.data.redis.client-type=" + client,
					"--spring.data.redis.host=" + this.server.host(), "--spring.data.redis.port=" + this.server.port(),
					"--server.port=0", "--spring.main.banner-mode=off"), Stream.of(arguments))
				.toArray(String[]::new));
	}

	/**
	 * Records the progress of the work, outside of its proxy.
	 */
	static class Progress implements LockListener {

		private final AtomicInteger running = new AtomicInteger();

		private final AtomicInteger finished = new AtomicInteger();

		private final AtomicInteger lost = new AtomicInteger();

		private final CountDownLatch done = new CountDownLatch(1);

		@Override
		public void onEvent(LockEvent event) {
			if (event instanceof LockLost) {
				this.lost.incrementAndGet();
			}
		}

	}

	/**
	 * Long work under a lock.
	 */
	static class Work {

		private final Progress progress;

		Work(Progress progress) {
			this.progress = progress;
		}

		@DistributedLockable(key = "work")
		String call() {
			this.progress.running.incrementAndGet();
			await().atMost(Duration.ofMinutes(1)).until(() -> this.progress.done.getCount() == 0);
			this.progress.finished.incrementAndGet();
			return "held";
		}

	}

	/**
	 * The callers of the work: a request, a job, and an asynchronous method.
	 */
	@RestController
	static class Callers {

		private final Work work;

		Callers(Work work) {
			this.work = work;
		}

		@GetMapping("/")
		String get() {
			return this.work.call();
		}

		@Scheduled(fixedDelay = 3_600_000)
		void run() {
			this.work.call();
		}

		@Async
		void start() {
			this.work.call();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, LifecycleAutoConfiguration.class,
			TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class,
			DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class,
			DistributedLockAopAutoConfiguration.class })
	@Import({ Progress.class, Work.class, Callers.class })
	static class Held {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Held.class)
	static class Web {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@Import(Held.class)
	static class Scheduling {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@Import(Held.class)
	static class AsynchronousWithoutPool {

		@Bean
		SimpleAsyncTaskExecutor applicationTaskExecutor() {
			return new SimpleAsyncTaskExecutor();
		}

	}

	/**
	 * One bean acquires a lock during startup, and a later bean fails.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Held.class)
	static class FailsHalfWay {

		@Bean
		Part first(DistributedLocks locks) {
			return new Part(LockEngineLifecycle.PHASE + 1, () -> assertThat(locks.get(KEY).tryAcquire()).isPresent());
		}

		@Bean
		Part last() {
			return new Part(SmartLifecycle.DEFAULT_PHASE, () -> {
				throw new PortInUse();
			});
		}

	}

	@SuppressWarnings("serial")
	static class PortInUse extends RuntimeException {

	}

	static class Part implements SmartLifecycle {

		private final int phase;

		private final Runnable onStart;

		private boolean running;

		Part(int phase, Runnable onStart) {
			this.phase = phase;
			this.onStart = onStart;
		}

		@Override
		public void start() {
			this.onStart.run();
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

	}

}
