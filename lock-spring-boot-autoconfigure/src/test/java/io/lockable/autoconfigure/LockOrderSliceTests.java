package io.lockable.autoconfigure;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.lockable.annotation.DistributedLockable;
import io.lockable.test.LockOrder;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContextManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
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
		isContradiction(() -> shop().stock(() -> shop().order(NOTHING)));
		test(() -> shop().stock(NOTHING));
	}

	@Test
	void locksOfOneCallAreSorted() throws Exception {
		test(() -> {
			shop().both("1", "2");
			shop().both("2", "1");
		});
		isContradiction(() -> shop().stock(() -> shop().order(NOTHING)));
	}

	@Test
	void stageIsNestedInTheLocksOfItsCallerAndPrecedesNothing() throws Exception {
		test(() -> shop().order(() -> shop().stockStage(NOTHING)));
		test(() -> shop().stockStage(() -> shop().order(NOTHING)));
		isContradiction(() -> shop().stock(() -> shop().order(NOTHING)));
	}

	@Test
	void publisherHasNoOrder() throws Exception {
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		test(() -> shop().stockMono(shop().orderMono(Mono.empty())).block());
		test(() -> shop().stockMono(Mono.fromRunnable(() -> shop().order(NOTHING))).block());
		test(() -> shop().stock(() -> shop().orderMono(Mono.empty()).block()));
	}

	@Test
	void transactionKeepsTheLocksOfItsCalls() throws Exception {
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		isContradiction(() -> new TransactionTemplate(context().getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> {
				shop().stock(NOTHING);
				shop().order(NOTHING);
			}));
	}

	@Test
	void transactionOfATestIsIgnored() throws Exception {
		this.tests = new TestContextManager(InTransaction.class);
		test(() -> {
			shop().order(NOTHING);
			shop().stock(NOTHING);
		});
		test(() -> {
			shop().stock(NOTHING);
			shop().order(NOTHING);
		});
	}

	// Unquoted, "off" is false in YAML.
	@ParameterizedTest
	@ValueSource(strings = { "warn", "off", "false" })
	void contradictionDoesNotFailTheTestIfSoConfigured(String reaction, CapturedOutput output) throws Exception {
		context().getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("lockable.test.lock-order", reaction)));
		test(() -> shop().order(() -> shop().stock(NOTHING)));
		test(() -> shop().stock(() -> shop().order(NOTHING)));
		assertThat(output.getOut().contains("Locks can deadlock")).isEqualTo(reaction.equals("warn"));
	}

	private void isContradiction(Runnable body) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> test(body::run))
			.withMessageContaining("Locks can deadlock");
	}

	private void test(ThrowingCallable body) throws Exception {
		Object test = this.tests.getTestContext().getTestClass().getDeclaredConstructor().newInstance();
		Method method = Objects.requireNonNull(ReflectionUtils.findMethod(test.getClass(), "test"));
		this.tests.prepareTestInstance(test);
		this.tests.beforeTestMethod(test, method);
		assertThatCode(body).doesNotThrowAnyException();
		this.tests.afterTestMethod(test, method, null);
	}

	private Shop shop() {
		return context().getBean(Shop.class);
	}

	private ConfigurableApplicationContext context() {
		return (ConfigurableApplicationContext) this.tests.getTestContext().getApplicationContext();
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

	@Transactional
	static class InTransaction extends Plain {

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

		@DistributedLockable(key = "stock", name = "stock", waitTime = 60)
		CompletableFuture<Object> stockStage(Runnable work) {
			work.run();
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLockable(key = "order", name = "order", waitTime = 60)
		Mono<Object> orderMono(Mono<Object> work) {
			return work;
		}

		@DistributedLockable(key = "stock", name = "stock", waitTime = 60)
		Mono<Object> stockMono(Mono<Object> work) {
			return work;
		}

		@DistributedLockable(key = "#order", name = "order", waitTime = 60)
		@DistributedLockable(key = "#stock", name = "stock", waitTime = 60)
		void both(String order, String stock) {
		}

	}

}
