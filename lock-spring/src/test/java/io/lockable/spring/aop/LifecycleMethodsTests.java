package io.lockable.spring.aop;

import java.util.ArrayList;
import java.util.List;

import io.lockable.LockContext;
import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LocksInMemory;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LifecycleMethods}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LifecycleMethodsTests {

	private static final List<String> ran = new ArrayList<>();

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner();

	@BeforeEach
	void nothingRan() {
		ran.clear();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "Constructed|initializes the bean|ApplicationRunner", "Overriding|initializes|ApplicationRunner",
					"Initialized|initializes|ApplicationRunner", "ByInterface|initializes|ApplicationRunner",
					"SecondOfItsClass|initializes|ApplicationRunner", "PreDestroyed|destroys the bean|SmartLifecycle",
					"Disposed|destroys|SmartLifecycle", "Inferred|destroys|SmartLifecycle",
					"Closed|destroys|SmartLifecycle" })
	void methodThatSpringCallsDoesNotStart(String type, String description, String action) {
		assertDoesNotStart(this.contextRunner.withUserConfiguration(
				ClassUtils.resolveClassName(getClass().getName() + "$" + type, null)), description, action);
	}

	@ParameterizedTest
	@ValueSource(strings = { BeanDefinition.SCOPE_SINGLETON, BeanDefinition.SCOPE_PROTOTYPE })
	void initMethodDoesNotStart(String scope) {
		assertDoesNotStart(this.contextRunner.withBean(Jobs.class, Jobs::new, (definition) -> {
			definition.setInitMethodName("start");
			definition.setScope(scope);
		}), "initializes", "ApplicationRunner");
	}

	@Test
	void destroyMethodDoesNotStart() {
		assertDoesNotStart(this.contextRunner.withBean(Jobs.class, Jobs::new,
				(definition) -> definition.setDestroyMethodName("start")), "destroys", "SmartLifecycle");
	}

	private static void assertDoesNotStart(ApplicationContextRunner runner, String description, String action) {
		runner.run((context) -> {
			InvalidDistributedLockableException analysis = LocksInMemory.problem(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains(description, "past the proxy and without the lock");
			assertThat(analysis.getAction()).contains(action);
		});
		assertThat(ran).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(classes = { OnTheClass.class, Machine.class })
	void whatSpringDoesNotCallStarts(Class<?> type) {
		this.contextRunner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void destroyMethodOfAPrototypeAndInitMethodOfAFactoryStart() {
		this.contextRunner.withBean(Jobs.class, Jobs::new, (definition) -> {
			definition.setDestroyMethodName("start");
			definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
		}).run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner
			.withBean(JobsFactory.class, JobsFactory::new, (definition) -> definition.setInitMethodName("start"))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void beanWhoseTypeIsKnownWhenItIsMadeIsRefusedEachTime() {
		this.contextRunner.withUserConfiguration(UnknownUntilMade.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean("job"))
					.withMessageContaining("past the proxy and without the lock");
			}
		});
		assertThat(ran).isEmpty();
	}

	@Test
	void typeOfTheObjectCountsBesideTheDeclaredOne() {
		this.contextRunner.withUserConfiguration(DeclaredAsInterface.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean(Service.class))
				.withMessageContaining("past the proxy and without the lock");
		});
		assertThat(ran).isEmpty();
	}

	@Test
	void warnsOrPassesWhenThePropertySaysSo(CapturedOutput output) {
		this.contextRunner.withPropertyValues("distributed-lock.check.never-locked=ignore")
			.withUserConfiguration(Constructed.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("past the proxy");
		this.contextRunner.withPropertyValues("distributed-lock.check.never-locked=warn")
			.withUserConfiguration(Constructed.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.toString().lines().filter((line) -> line.contains("past the proxy"))).singleElement()
			.asString()
			.contains("WARN", "Constructed.init()");
		assertThat(ran).containsExactly("unlocked", "unlocked");
	}

	private static void run() {
		ran.add(LockContext.find().isPresent() ? "locked" : "unlocked");
	}

	@Configuration(proxyBeanMethods = false)
	static class UnknownUntilMade {

		@Bean
		@Lazy
		Object job() {
			return new Constructed();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DeclaredAsInterface {

		@Bean
		@Lazy
		Service service() {
			return new ServiceWithInit();
		}

	}

	public interface Service {

		@DistributedLockable(key = "b")
		void serve();

	}

	public static class ServiceWithInit implements Service {

		@PostConstruct
		@DistributedLockable(key = "a")
		public void init() {
			run();
		}

		@Override
		public void serve() {
			run();
		}

	}

	public static class Constructed {

		@PostConstruct
		@DistributedLockable(key = "a")
		public void init() {
			run();
		}

	}

	public static class Parent {

		@PostConstruct
		public void init() {
			run();
		}

	}

	public static class Overriding extends Parent {

		@Override
		@DistributedLockable(key = "a")
		public void init() {
			run();
		}

	}

	public static class Initialized implements InitializingBean {

		@Override
		@DistributedLockable(key = "a")
		public void afterPropertiesSet() {
			run();
		}

	}

	public interface Job {

		@DistributedLockable(key = "a")
		void init();

	}

	public static class ByInterface implements Job {

		@Override
		@PostConstruct
		public void init() {
			run();
		}

	}

	public static class PreDestroyed {

		@PreDestroy
		@DistributedLockable(key = "a")
		public void end() {
			run();
		}

	}

	public static class Disposed implements DisposableBean {

		@Override
		@DistributedLockable(key = "a")
		public void destroy() {
			run();
		}

	}

	public static class Closed implements AutoCloseable {

		@Override
		@DistributedLockable(key = "a")
		public void close() {
			run();
		}

	}

	@DistributedLockable(key = "a")
	public static class OnTheClass {

		@PostConstruct
		public void init() {
		}

		@PreDestroy
		public void end() {
		}

	}

	public static class Jobs {

		@DistributedLockable(key = "a")
		public void start() {
			run();
		}

		@DistributedLockable(key = "a")
		public void start(String name) {
			run();
		}

	}

	public static class Machine {

		@DistributedLockable(key = "a")
		public void shutdown() {
			run();
		}

	}

	public static class JobsFactory implements FactoryBean<Jobs> {

		@Override
		public Jobs getObject() {
			return new Jobs();
		}

		@Override
		public Class<?> getObjectType() {
			return Jobs.class;
		}

		public void start() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SecondOfItsClass {

		@Bean
		Jobs first() {
			return new Jobs();
		}

		@Bean(initMethod = "start")
		Jobs second() {
			return new Jobs();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Inferred {

		@Bean
		Machine machine() {
			return new Machine();
		}

	}

}
