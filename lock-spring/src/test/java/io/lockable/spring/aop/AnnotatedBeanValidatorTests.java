package io.lockable.spring.aop;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnFailure;
import io.lockable.engine.LockEngine;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LocksInMemory;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.RecallingLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link AnnotatedBeanValidator} and
 * {@link InvalidDistributedLockableException}.
 */
@ExtendWith(OutputCaptureExtension.class)
class AnnotatedBeanValidatorTests {

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner();

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"Mixture|Mixture.call(String): the key 'order-#id' has 'order', which is neither an argument nor quoted text.|a template, which has variables in a text",
			"UnknownVariableOnInterface|has the unknown variable '#nope'|Write one of #id",
			"SkipOnPrimitive|SkipOnPrimitive.call(): a skipped call returns null, which int cannot be.|Return the wrapper type or an Optional",
			"Futures|a Future continues after the call returns and does not signal its completion, so the lock would be released too early|Return a CompletableFuture instead",
			"FinalMethod|FinalMethod.call(): a final method cannot be intercepted by a class proxy|Remove 'final'",
			"FinalService|a final class cannot be intercepted|Remove 'final'",
			"StaticMethod|a static method cannot be intercepted|Make it a public instance method",
			"PrivateMethod|a private method cannot be intercepted|Make it a public instance method" })
	void applicationDoesNotStart(String type, String description, String action) {
		this.contextRunner.withBean(ClassUtils.resolveClassName(getClass().getName() + "$" + type, null))
			.run((context) -> {
				InvalidDistributedLockableException analysis = analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains(description);
				assertThat(analysis.getAction()).contains(action);
			});
	}

	@Test
	void retainNeedsAStoreThatRecallsWithoutConfirmation() {
		RecallingLockStore store = mock(RecallingLockStore.class);
		this.contextRunner.withBean(LockStore.class, () -> store)
			.withBean(Retaining.class)
			.run((context) -> assertThat(context).hasNotFailed());
		given(store.needsConfirmation()).willReturn(true);
		for (LockStore other : List.of(store, mock(QueueingLockStore.class))) {
			this.contextRunner.withBean(LockStore.class, () -> other).withBean(Retaining.class).run((context) -> {
				InvalidDistributedLockableException analysis = analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("Retaining.call(String)",
						"'retain' requires a store whose instances can ask each other for a lock");
				assertThat(analysis.getAction()).contains("distributed-lock.redis.redlock.nodes",
						"distributed-lock.redis.replicas=none");
			});
			this.contextRunner.withBean(LockStore.class, () -> other)
				.withBean(RetainingNothing.class)
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void whatIsNeverLockedWarnsOrPassesWhenThePropertySaysSo(CapturedOutput output) {
		this.contextRunner.withPropertyValues("distributed-lock.check.never-locked=ignore")
			.withBean(PrivateMethod.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("PrivateMethod");
		this.contextRunner.withPropertyValues("distributed-lock.check.never-locked=warn")
			.withBean(PrivateMethod.class)
			.withBean(FinalMethod.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).anySatisfy(
				(line) -> assertThat(line).contains("PrivateMethod.call()", "a private method cannot be intercepted"))
			.anySatisfy((line) -> assertThat(line).contains("FinalMethod.call()", "a final method"));
	}

	@ParameterizedTest
	@ValueSource(classes = { SkipOnWrapper.class, SkipOnVoid.class, PrimitiveThatThrows.class, PlainCallable.class })
	void applicationStarts(Class<?> type) {
		this.contextRunner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void skipPropertyOnPrimitiveDoesNotStart() {
		this.contextRunner.withBean(PrimitiveByDefault.class).run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withPropertyValues("distributed-lock.on-failure=skip")
			.withBean(PrimitiveByDefault.class)
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getAction()).contains("OnFailure.THROW"));
	}

	@Test
	void finalClassAndMethodBehindInterfaceProxyAreLocked() {
		this.contextRunner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(FinalService.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void finalClassThatAsksForAnInterfaceProxyIsLocked() {
		this.contextRunner.withUserConfiguration(InterfaceProxyConfiguration.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Runnable.class))).isTrue();
		});
	}

	@Test
	void proxyOfTheApplicationAroundAnAnnotatedObjectIsRefused() {
		this.contextRunner.withBean(Paying.class, () -> (Paying) new ProxyFactory(new PayingService()).getProxy())
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
				.contains("PayingService")
				.contains("has no proxy that locks"));
	}

	/**
	 * The target of a scoped proxy is another bean.
	 */
	@Test
	void scopedProxyByInterfacesIsValid() {
		this.contextRunner.withUserConfiguration(ScopedConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void proxyOfTheApplicationAroundALockedBeanIsValid() {
		this.contextRunner.withUserConfiguration(AroundConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void beanThatIsCreatedLaterIsValidatedAtStart() {
		for (BeanDefinitionCustomizer later : List.<BeanDefinitionCustomizer>of(
				(definition) -> definition.setLazyInit(true),
				(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))) {
			this.contextRunner.withBean(Mixture.class, Mixture::new, later)
				.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription())
					.contains("Mixture.call(String)"));
		}
	}

	@Test
	void prototypeOfUnknownTypeIsValidatedWhenCreated() {
		this.contextRunner
			.withBean("prototype", Object.class, Mixture::new,
					(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThatExceptionOfType(Exception.class).isThrownBy(() -> context.getBean("prototype"))
					.satisfies((ex) -> assertThat(analyze(ex).getDescription()).contains("Mixture.call(String)"));
			});
	}

	@Test
	void lazyInitializationDoesNotPostponeTheValidation() {
		this.contextRunner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withBean(Mixture.class)
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void classPathWithoutAspectJStartsWithProxies() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.aspectj"))
			.withBean(SkipOnVoid.class)
			.run((context) -> assertThat(context.getBean(SkipOnVoid.class))
				.satisfies(AnnotatedBeanValidatorTests::isProxy));
	}

	@Test
	void applicationWithoutAspectsStartsWithProxies() {
		this.contextRunner.withPropertyValues("spring.aop.auto=false")
			.withBean(SkipOnVoid.class)
			.run((context) -> assertThat(context.getBean(SkipOnVoid.class))
				.satisfies(AnnotatedBeanValidatorTests::isProxy));
	}

	private static void isProxy(Object bean) {
		assertThat(AopUtils.isAopProxy(bean)).isTrue();
	}

	@Test
	void singletonRegisteredByHandDoesNotStart() {
		this.contextRunner
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("byHand", new SkipOnVoid()))
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription()).contains("'byHand'"));
	}

	@Test
	void beanWithoutProxyWarnsOrPassesWhenThePropertySaysSo(CapturedOutput output) {
		ApplicationContextRunner unlocked = this.contextRunner.withBean("early", SkipOnVoid.class)
			.withBean(OrderedProcessor.class);
		unlocked.withPropertyValues("distributed-lock.check.never-locked=ignore")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("it has no proxy");
		unlocked.withPropertyValues("distributed-lock.check.never-locked=warn")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.toString().lines()).filteredOn((line) -> line.contains("it has no proxy"))
			.singleElement()
			.satisfies((line) -> assertThat(line).contains("WARN", "'early'"));
	}

	@Test
	void objectThatReplacesABeanStarts() {
		this.contextRunner.withBean("replaced", SkipOnVoid.class)
			.withInitializer((context) -> context.addBeanFactoryPostProcessor(
					(beanFactory) -> beanFactory.registerSingleton("replaced", new FinalStub())))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(classes = { PriorityOrderedProcessor.class, OrderedProcessor.class, FactoryProcessor.class })
	void beanThatIsCreatedBeforeTheProxiesDoesNotStart(Class<?> processor) {
		this.contextRunner.withBean("early", SkipOnVoid.class)
			.withBean(processor)
			.run((context) -> assertThat(analyze(context.getStartupFailure()).getDescription()).contains("'early'",
					"it has no proxy"));
	}

	@Test
	void severalLocksWithoutAPrimaryOneDoNotStart() {
		this.contextRunner.withUserConfiguration(SeveralLocks.class).withBean(SkipOnVoid.class).run((context) -> {
			InvalidDistributedLockableException analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("SkipOnVoid.call()",
					"names none of the 2 beans of type DistributedLocks");
			assertThat(analysis.getAction()).contains("locks = \"first\"", "@Primary");
		});
	}

	@Test
	void severalLocksThatAreNamedOrPrimaryStart() {
		this.contextRunner.withUserConfiguration(SeveralLocks.class)
			.withBean(OfSecondLocks.class)
			.run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withUserConfiguration(SeveralLocks.class)
			.withBean("mine", DistributedLocks.class, () -> LockEngine.builder(new InMemoryLockStore()).build(),
					(definition) -> definition.setPrimary(true))
			.withBean(SkipOnVoid.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static InvalidDistributedLockableException analyze(Throwable failure) {
		return LocksInMemory.problem(failure);
	}

	@Configuration(proxyBeanMethods = false)
	static class SeveralLocks {

		@Bean
		LockEngine first() {
			return LockEngine.builder(new InMemoryLockStore()).build();
		}

		@Bean
		LockEngine second() {
			return LockEngine.builder(new InMemoryLockStore()).build();
		}

	}

	public static class OfSecondLocks {

		@DistributedLockable(key = "a", locks = "second")
		public void call() {
		}

	}

	public static class Mixture {

		@DistributedLockable(key = "order-#id")
		public void call(String id) {
		}

	}

	public static class Retaining {

		@DistributedLockable(key = "a", retain = "5s")
		public void call(String id) {
		}

	}

	public static class RetainingNothing {

		@DistributedLockable(key = "a", fair = true, retain = "0s")
		public void call(String id) {
		}

	}

	interface WithUnknownVariable {

		@DistributedLockable("#nope")
		void call(String id);

	}

	public static class UnknownVariableOnInterface implements WithUnknownVariable {

		@Override
		public void call(String id) {
		}

	}

	public static class SkipOnPrimitive {

		@DistributedLockable(key = "a", onFailure = OnFailure.SKIP)
		public int call() {
			return 1;
		}

	}

	public static class SkipOnWrapper {

		@DistributedLockable(key = "a", onFailure = OnFailure.SKIP)
		public Integer call() {
			return 1;
		}

	}

	public static class SkipOnVoid {

		@DistributedLockable(key = "a", onFailure = OnFailure.SKIP)
		public void call() {
		}

	}

	public static class PrimitiveThatThrows {

		@DistributedLockable(key = "a", onFailure = OnFailure.THROW)
		public int call() {
			return 1;
		}

	}

	public static class PrimitiveByDefault {

		@DistributedLockable(key = "a")
		public int call() {
			return 1;
		}

	}

	public static class PlainCallable implements Callable<String> {

		@Override
		@DistributedLockable(key = "a")
		public String call() {
			return "a";
		}

	}

	@SuppressWarnings("UnusedMethod")
	public static class PrivateMethod {

		@DistributedLockable(key = "a")
		private void call() {
		}

	}

	public static class StaticMethod {

		@DistributedLockable(key = "a")
		public static void call() {
		}

	}

	public static class FinalMethod {

		@DistributedLockable(key = "a")
		public final void call() {
		}

	}

	interface Paying {

		void pay();

	}

	public static class PayingService implements Paying {

		@Override
		@DistributedLockable(key = "a")
		public void pay() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AroundConfiguration {

		@Bean
		PayingService payingService() {
			return new PayingService();
		}

		@Bean
		Paying around(PayingService locked) {
			return (Paying) new ProxyFactory(locked).getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedConfiguration {

		@Bean
		@Scope(scopeName = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.INTERFACES)
		PayingService payingService() {
			return new PayingService();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceProxyConfiguration {

		@Bean
		@Proxyable(ProxyType.INTERFACES)
		FinalService finalService() {
			return new FinalService();
		}

	}

	public static final class FinalService implements Runnable {

		@Override
		@DistributedLockable(key = "a")
		public void run() {
		}

	}

	public static class Futures {

		@DistributedLockable(key = "a")
		public Future<String> call() {
			return CompletableFuture.completedFuture("a");
		}

	}

	public static final class FinalStub extends SkipOnVoid {

	}

	public static class Early implements BeanFactoryAware {

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			beanFactory.getBean("early");
		}

	}

	public static class PriorityOrderedProcessor extends Early implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	public static class OrderedProcessor extends Early implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	public static class FactoryProcessor extends Early implements BeanFactoryPostProcessor {

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		}

	}

}
