package io.lockable.autoconfigure;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import io.lockable.test.LockOrder;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import io.lockable.test.autoconfigure.DistributedLocksTestAutoConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the {@linkplain LockOrder order of locks} in tests with
 * {@link AutoConfigureDistributedLocks}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockOrderSliceTests {

	private static final Runnable NOTHING = () -> {
	};

	private TestContextManager tests = new TestContextManager(Plain.class);

	@AfterEach
	void discardOrders() {
		this.tests.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
	}

	@Test
	void contradictionOfAnEarlierTestFailsTheTest() throws Exception {
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		test(() -> shop().stock(NOTHING));
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> test(() -> shop().stock(() -> shop().order(NOTHING))))
			.withMessageContaining("order before stock before order")
			.withMessageContaining("LockOrderSliceTests.contradictionOfAnEarlierTestFailsTheTest(");
		test(() -> shop().stock(NOTHING));
	}

	@Test
	void otherThreadsOfATestCount() throws Exception {
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> test(() -> {
			Thread thread = new Thread(() -> shop().stock(() -> shop().order(NOTHING)), "worker");
			thread.start();
			thread.join();
		})).withMessageContaining("by thread 'worker'");
	}

	@Test
	void locksAfterTheLastTestFailItsClass() throws Exception {
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		shop().stock(() -> shop().order(NOTHING));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.tests::afterTestClass);
	}

	@Test
	void locksOfOneCallHaveNoOrder() throws Exception {
		test(() -> {
			shop().both("1", "2");
			shop().both("2", "1");
			shop().bothLater("1", "2").get();
			shop().bothLater("2", "1").get();
		});
		test(() -> shop().order(() -> shop().both("1", "2")));
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> test(() -> shop().first("3", () -> shop().order(NOTHING))));
	}

	@Test
	void bodyOfAStagePrecedesWhatItAcquires() throws Exception {
		test(() -> shop().orderLater(() -> shop().stockLater(LockOrderSliceTests::done)).get());
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> test(() -> shop().stockLater(() -> {
			shop().order(NOTHING);
			return done();
		}).get()));
	}

	@Test
	void callerOfAStageDoesNotHoldItsLock() throws Exception {
		test(() -> shop().stock(() -> shop().order(NOTHING)));
		test(() -> {
			CompletableFuture<Object> work = new CompletableFuture<>();
			CompletableFuture<Object> result = shop().orderLater(() -> work);
			shop().stock(NOTHING);
			work.complete("done");
			result.get();
		});
	}

	@Test
	void subscriptionPrecedesWhatItsWorkAcquires() throws Exception {
		test(() -> shop().orderMono(shop().stockMono(Mono.just("done"))).block());
		test(() -> {
			CompletableFuture<Object> work = new CompletableFuture<>();
			CompletableFuture<?> result = Mono
				.zip(shop().stockMono(Mono.fromFuture(work)), shop().orderMono(Mono.fromFuture(work)))
				.toFuture();
			work.complete("done");
			result.get();
		});
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> test(() -> shop().stockMono(shop().orderMono(Mono.just("done"))).block()))
			.withMessageContaining("order before stock before order");
	}

	@Test
	void transactionKeepsTheLocksOfItsCalls() throws Exception {
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> test(() -> transaction().execute((status) -> {
			shop().stock(NOTHING);
			shop().order(NOTHING);
			return null;
		})));
	}

	@Test
	void transactionOfTheTestKeepsNoLocks() throws Exception {
		this.tests = new TestContextManager(InTransaction.class);
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		test(() -> {
			shop().stock(NOTHING);
			assertThat(context().getBean(DistributedLocks.class).get("disLock:stock").isHeldByCurrentThread()).isTrue();
			shop().order(NOTHING);
		});
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> test(() -> shop().stock(() -> shop().order(NOTHING))));
	}

	@Test
	void contradictionIsOnlyLoggedIfSoConfigured(CapturedOutput output) throws Exception {
		this.tests = new TestContextManager(Warning.class);
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		assertThat(output).doesNotContain("can deadlock");
		test(() -> shop().stock(() -> shop().order(NOTHING)));
		assertThat(output).containsOnlyOnce("can deadlock: order before stock before order");
	}

	@Test
	void noOrderIsRecordedIfOff() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLocksTestAutoConfiguration.class));
		runner.run((context) -> assertThat(context).hasSingleBean(LockOrder.class));
		runner.withPropertyValues("lockable.test.lock-order=off")
			.run((context) -> assertThat(context).doesNotHaveBean(LockOrder.class));
		// The value of an unquoted "off" in YAML
		MapPropertySource yaml = new MapPropertySource("yaml", Map.of("lockable.test.lock-order", false));
		runner.withInitializer((context) -> context.getEnvironment().getPropertySources().addFirst(yaml))
			.run((context) -> assertThat(context).doesNotHaveBean(LockOrder.class));
		runner.withPropertyValues("lockable.test.lock-order=never")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("never"));
	}

	private void test(Body body) throws Exception {
		Object test = this.tests.getTestContext().getTestClass().getDeclaredConstructor().newInstance();
		Method method = Objects.requireNonNull(ReflectionUtils.findMethod(test.getClass(), "test"));
		this.tests.prepareTestInstance(test);
		this.tests.beforeTestMethod(test, method);
		body.run();
		this.tests.afterTestMethod(test, method, null);
	}

	private Shop shop() {
		return context().getBean(Shop.class);
	}

	private TransactionTemplate transaction() {
		return new TransactionTemplate(context().getBean(PlatformTransactionManager.class));
	}

	private ApplicationContext context() {
		return this.tests.getTestContext().getApplicationContext();
	}

	private static CompletableFuture<Object> done() {
		return CompletableFuture.completedFuture("done");
	}

	interface Body {

		void run() throws Exception;

	}

	/**
	 * A test whose only method a test runs several times.
	 */
	@SpringBootTest(classes = Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureDistributedLocks
	static class Plain {

		void test() {
		}

	}

	@TestPropertySource(properties = "lockable.test.lock-order=warn")
	static class Warning extends Plain {

	}

	static class InTransaction extends Plain {

		@Override
		@Transactional
		void test() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Shop.class)
	static class Application {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:lock-order"));
		}

	}

	static class Shop {

		@DistributedLockable(key = "order", name = "order", waitTime = 60)
		void order(Runnable work) {
			work.run();
		}

		@DistributedLockable(key = "stock", name = "stock", waitTime = 60)
		void stock(Runnable work) {
			work.run();
		}

		@DistributedLockable(key = "order", name = "order", waitTime = 60)
		CompletableFuture<Object> orderLater(Supplier<CompletableFuture<Object>> work) {
			return work.get();
		}

		@DistributedLockable(key = "stock", name = "stock", waitTime = 60)
		CompletableFuture<Object> stockLater(Supplier<CompletableFuture<Object>> work) {
			return work.get();
		}

		@DistributedLockable(key = "order", name = "order", waitTime = 60)
		Mono<Object> orderMono(Mono<Object> work) {
			return work;
		}

		@DistributedLockable(key = "stock", name = "stock", waitTime = 60)
		Mono<Object> stockMono(Mono<Object> work) {
			return work;
		}

		@DistributedLockable(key = "#first", name = "first", waitTime = 60)
		void first(String first, Runnable work) {
			work.run();
		}

		@DistributedLockable(key = "#first", name = "first", waitTime = 60)
		@DistributedLockable(key = "#second", name = "second", waitTime = 60)
		void both(String first, String second) {
		}

		@DistributedLockable(key = "#first", name = "first", waitTime = 60)
		@DistributedLockable(key = "#second", name = "second", waitTime = 60)
		CompletableFuture<Object> bothLater(String first, String second) {
			return done();
		}

	}

}
