package io.lockable.spring.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.annotation.DistributedLockable;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.spring.LocksInMemory;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DistributedLockAspect} and {@link LockAdvisor}: for each place of the
 * annotation, the method runs under the lock, acquired once.
 */
class DistributedLockAspectTests {

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner();

	private final ApplicationContextRunner jdkProxyRunner = this.contextRunner
		.withPropertyValues("spring.aop.proxy-target-class=false");

	@Test
	void aspectIsForWeavingAndProxiesHaveAnAdvisor() {
		assertThat(AnnotationUtils.findAnnotation(DistributedLockAspect.class, Aspect.class)).isNotNull();
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(LockAdvisor.class)
			.doesNotHaveBean(DistributedLockAspect.class));
	}

	@Test
	void nothingThatLocksIsCreatedWithoutAnnotatedBeans() {
		this.contextRunner.withBean(Unannotated.class)
			.run((context) -> assertThat(context.getBeanFactory().getSingletonNames())
				.contains(LockAdvisor.class.getName())
				.doesNotContain("lockedInvoker", "lockOperations"));
	}

	@Test
	void nothingButInfrastructureIsCreatedTooEarlyForAProxy() {
		this.contextRunner.withUserConfiguration(EarlyBean.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(EarlyBean.Witness.class).early()).contains(LockAdvisor.class.getName())
				.noneMatch((name) -> name.endsWith("DistributedLockProperties"))
				.noneMatch((name) -> name.endsWith("DistributedLockAopAutoConfiguration"));
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, OnMethodMeta.class, OnMethodMetaMeta.class, ProtectedMethod.class,
			OnClass.class, OnClassMeta.class, OnSubclass.class, SubclassOfOnClass.class, Overriding.class,
			Inheriting.class, OnSubInterfaceImpl.class, ImplementedBySuperclass.class, WithDefaultMethod.class })
	void methodIsLockedOnce(Class<?> type) {
		runWith(type, (service) -> assertThat(holds(service)).isEqualTo(1));
	}

	@ParameterizedTest
	@ValueSource(classes = { Repeated.class, RepeatedOnClass.class, BesideMeta.class })
	void repeatedAnnotationsAreAllLocked(Class<?> type) {
		runWith(type, (service) -> assertThat(holds(service)).isEqualTo(List.of(1, 1)));
	}

	private static @Nullable Object holds(Object service) {
		Method method = ReflectionUtils.findMethod(service.getClass(), "holdCount", String.class);
		ReflectionUtils.makeAccessible(method);
		return ReflectionUtils.invokeMethod(method, service, "1");
	}

	@Test
	void publicMethodsOfAnnotatedClassAreLockedUnlessTheyHaveTheirOwnLock() {
		runWith(OnClass.class, (service) -> {
			assertThat(service.other("1")).isOne();
			assertThat(service.own("1")).isOne();
			assertThat(service.packagePrivate("1")).isZero();
			assertThat(service).hasToString("0");
		});
		runWith(SubclassOfOnClass.class, (service) -> assertThat(service.added("1")).isOne());
		runWith(OnMethod.class, (service) -> assertThat(service.unlocked("1")).isZero());
	}

	@Test
	void secondCreatorOfProxiesDoesNotLockTwice() {
		this.contextRunner.withBean(DefaultAdvisorAutoProxyCreator.class).withBean(Counted.class).run((context) -> {
			Counting service = context.getBean(Counting.class);
			assertThat(((Advised) service).getTargetSource().getTarget()).isInstanceOf(Advised.class);
			assertThat(service.holdCount()).isOne();
			assertThat(service.stage()).isCompletedWithValue("done");
			assertThat(service.permits()).isOne();
		});
	}

	@Test
	void annotatedInterfaceMethodBehindClassProxyIsLocked() {
		this.contextRunner.withBean(OnInterfaceMethodImpl.class).run((context) -> {
			assertThat(AopUtils.isCglibProxy(context.getBean(OnInterfaceMethod.class))).isTrue();
			assertThat(context.getBean(OnInterfaceMethod.class).holdCount("1")).isOne();
			assertThat(context.getBean(OnInterfaceMethodImpl.class).holdCount("1")).isOne();
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { OnInterfaceMethodImpl.class, OnInterfaceImpl.class, AnnotatedImpl.class })
	void methodBehindJdkProxyIsLocked(Class<?> type) {
		this.jdkProxyRunner.withBean(type).run((context) -> {
			Service service = context.getBean(Service.class);
			assertThat(AopUtils.isJdkDynamicProxy(service)).isTrue();
			assertThat(service.holdCount("1")).isOne();
		});
	}

	@Test
	void annotatedInterfaceIsLockedForItsOwnMethods() {
		runWith(OnInterfaceImpl.class, (service) -> {
			assertThat(service.holdCount("1")).isOne();
			assertThat(service.extra(1)).isZero();
		});
	}

	@Test
	void genericInterfaceMethodIsLockedThroughTheBridge() {
		Consumer<Generic<String>> check = (service) -> assertThat(service.holdCount("1")).isOne();
		this.contextRunner.withBean(GenericImpl.class)
			.run((context) -> check.accept(context.getBean(GenericImpl.class)));
		this.jdkProxyRunner.withBean(GenericImpl.class).run((context) -> {
			@SuppressWarnings("unchecked")
			Generic<String> service = context.getBean(Generic.class);
			check.accept(service);
		});
	}

	@Test
	void parameterNamesOfTheAnnotatedDeclarationCountFirst() {
		runWith(SwappedNames.class, (service) -> assertThat(service.call("1", "2")).isOne());
	}

	@Test
	void interfaceOfFactoryBeanProductIsLocked() {
		this.contextRunner.withUserConfiguration(FactoryBeanConfiguration.class)
			.run((context) -> assertThat(context.getBean(OnInterfaceMethod.class).holdCount("1")).isOne());
	}

	/**
	 * As with the repositories of Spring Data, the object behind the proxy does not
	 * implement its interface.
	 */
	@Test
	void interfaceThatOnlyAProxyImplementsIsLocked() {
		this.contextRunner.withUserConfiguration(RepositoryConfiguration.class).run((context) -> {
			Repository repository = context.getBean(Repository.class);
			assertThat(repository.own("1")).containsExactly("DistributedLockAspectTests.Repository.own");
			assertThat(repository.inherited("1")).containsExactly("DistributedLockAspectTests.Base.inherited");
			WithFallback withFallback = context.getBean(WithFallback.class);
			assertThat(withFallback.own("1")).containsExactly("DistributedLockAspectTests.WithFallback.own");
			Lease lease = context.getBean(DistributedLocks.class).get("disLock:1").acquire();
			assertThat(withFallback.own("1")).containsExactly("without 1");
			lease.close();
		});
	}

	@Test
	void annotationsOfTheMethodReplaceThoseOfTheClass() {
		runWith(RepeatedOnClass.class, (service) -> assertThat(service.own("1")).containsExactly(0, 0, 1));
	}

	private <T> void runWith(Class<T> type, Consumer<T> check) {
		this.contextRunner.withBean(type).run((context) -> {
			assertThat(context).hasNotFailed();
			check.accept(context.getBean(type));
		});
	}

	/**
	 * Counts the holds of the calling thread.
	 */
	public static class Holds {

		@Autowired
		private DistributedLocks locks;

		int count(String key) {
			DistributedLock lock = this.locks.get("disLock:" + key);
			assertThat(lock.isHeldByCurrentThread()).isEqualTo(lock.holdCount() > 0);
			return lock.holdCount();
		}

	}

	interface Service {

		int holdCount(String id);

	}

	public interface Counting {

		int holdCount();

		CompletableFuture<String> stage();

		int permits();

	}

	public static class Counted implements Counting {

		@Autowired
		private ObjectProvider<DistributedLocks> locks;

		@Autowired
		private ObjectProvider<LockEngine> engine;

		@Override
		@DistributedLockable(key = "a")
		public int holdCount() {
			return this.locks.getObject().get("disLock:a").holdCount();
		}

		@Override
		@DistributedLockable(key = "b")
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("done");
		}

		@Override
		@DistributedLockable(key = "c", permits = 2)
		public int permits() {
			return this.engine.getObject().holdings().size();
		}

	}

	public static class OnMethod extends Holds {

		@DistributedLockable(key = "#id")
		public int holdCount(String id) {
			return count(id);
		}

		public int unlocked(String id) {
			return count(id);
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLockable(key = "")
	@interface LockedById {

		@AliasFor(annotation = DistributedLockable.class)
		String key() default "#id";

	}

	public static class OnMethodMeta extends Holds {

		@LockedById
		public int holdCount(String id) {
			return count(id);
		}

	}

	@LockedById
	public static class OnClassMeta extends Holds {

		public int holdCount(String id) {
			return count(id);
		}

	}

	public static class ProtectedMethod extends Holds {

		@DistributedLockable(key = "#id")
		protected int holdCount(String id) {
			return count(id);
		}

	}

	@DistributedLockable(key = "#id")
	public static class OnClass extends Holds {

		public int holdCount(String id) {
			return count(id);
		}

		public int other(String id) {
			return count(id);
		}

		@DistributedLockable(key = "own-#{#id}")
		public int own(String id) {
			assertThat(count(id)).isZero();
			return count("own-" + id);
		}

		int packagePrivate(String id) {
			return count(id);
		}

		@Override
		public String toString() {
			return Integer.toString(count("1"));
		}

	}

	public static class SubclassOfOnClass extends OnClass {

		public int added(String id) {
			return count(id);
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@LockedById(key = "#p0")
	@interface LockedByPosition {

	}

	public static class OnMethodMetaMeta extends Holds {

		@LockedByPosition
		public int holdCount(String id) {
			return count(id);
		}

	}

	public static class Repeated extends Holds {

		@DistributedLockable(key = "#id")
		@DistributedLockable(key = "all")
		public List<Integer> holdCount(String id) {
			return List.of(count(id), count("all"));
		}

	}

	@DistributedLockable(key = "#id")
	@DistributedLockable(key = "all")
	public static class RepeatedOnClass extends Holds {

		public List<Integer> holdCount(String id) {
			return List.of(count(id), count("all"));
		}

		@DistributedLockable(key = "own")
		public List<Integer> own(String id) {
			return List.of(count(id), count("all"), count("own"));
		}

	}

	public static class BesideMeta extends Holds {

		@LockedById
		@DistributedLockable(key = "all")
		public List<Integer> holdCount(String id) {
			return List.of(count(id), count("all"));
		}

	}

	public static class Plain extends Holds {

		public int holdCount(String id) {
			return count(id);
		}

	}

	@DistributedLockable(key = "#id")
	public static class OnSubclass extends Plain {

	}

	public static class Overriding extends OnMethod {

		@Override
		public int holdCount(String id) {
			return count(id);
		}

	}

	public static class Inheriting extends OnMethod {

	}

	interface OnInterfaceMethod extends Service {

		@Override
		@DistributedLockable(key = "#id")
		int holdCount(String id);

	}

	public static class OnInterfaceMethodImpl extends Holds implements OnInterfaceMethod {

		@Override
		public int holdCount(String other) {
			return count(other);
		}

	}

	public static class AnnotatedImpl extends Holds implements Service {

		@Override
		@DistributedLockable(key = "#id")
		public int holdCount(String id) {
			return count(id);
		}

	}

	@DistributedLockable(key = "#id")
	interface OnInterface extends Service {

		@Override
		int holdCount(String id);

	}

	public static class OnInterfaceImpl extends Holds implements OnInterface {

		@Override
		public int holdCount(String id) {
			return count(id);
		}

		public int extra(int number) {
			return count(Integer.toString(number));
		}

	}

	@DistributedLockable(key = "#id")
	interface OnSubInterface extends Service {

	}

	public static class OnSubInterfaceImpl extends Holds implements OnSubInterface {

		@Override
		public int holdCount(String id) {
			return count(id);
		}

	}

	public static class ImplementedBySuperclass extends Plain implements OnInterfaceMethod {

	}

	interface DefaultMethod {

		int count(String key);

		@DistributedLockable(key = "#id")
		default int holdCount(String id) {
			return count(id);
		}

	}

	public static class WithDefaultMethod extends Holds implements DefaultMethod {

		@Override
		public int count(String key) {
			return super.count(key);
		}

	}

	interface Generic<T> {

		@DistributedLockable(key = "#id")
		int holdCount(T id);

	}

	public static class GenericImpl extends Holds implements Generic<String> {

		@Override
		public int holdCount(String id) {
			return count(id);
		}

	}

	interface Names {

		@DistributedLockable(key = "#first")
		int call(String first, String second);

	}

	@SuppressWarnings("OverridingMethodInconsistentArgumentNamesChecker")
	public static class SwappedNames extends Holds implements Names {

		@Override
		public int call(String second, String first) {
			assertThat(count(first)).isZero();
			return count(second);
		}

	}

	@Configuration(proxyBeanMethods = false)
	public static class FactoryBeanConfiguration {

		@Bean
		FactoryBean<OnInterfaceMethod> product(ObjectProvider<DistributedLocks> locks) {
			return new FactoryBean<>() {

				@Override
				public OnInterfaceMethod getObject() {
					return (OnInterfaceMethod) Proxy.newProxyInstance(getClass().getClassLoader(),
							new Class<?>[] { OnInterfaceMethod.class },
							(proxy, method, args) -> locks.getObject().get("disLock:" + args[0]).holdCount());
				}

				@Override
				public Class<?> getObjectType() {
					return OnInterfaceMethod.class;
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	public static class RepositoryConfiguration {

		@Bean
		FactoryBean<Repository> repository(ObjectProvider<DistributedLocks> locks) {
			return new Repositories<>(Repository.class, locks);
		}

		@Bean
		FactoryBean<WithFallback> withFallback(ObjectProvider<DistributedLocks> locks) {
			return new Repositories<>(WithFallback.class, locks);
		}

	}

	/**
	 * Makes proxies with the interface of a repository and another object as the target.
	 * Its own methods return the names of the held locks.
	 *
	 * @param type the interface
	 * @param locks the locks
	 * @param <T> the interface
	 */
	record Repositories<T>(Class<T> type, ObjectProvider<DistributedLocks> locks) implements FactoryBean<T> {

		@Override
		public T getObject() {
			ProxyFactory factory = new ProxyFactory();
			factory.setInterfaces(this.type);
			factory.setTarget(new Inherited());
			factory.addAdvice((MethodInterceptor) (invocation) -> invocation.getMethod().isDefault()
					? InvocationHandler.invokeDefault(((ProxyMethodInvocation) invocation).getProxy(),
							invocation.getMethod(), invocation.getArguments())
					: ((LockEngine) this.locks.getObject()).holdings().stream().map(LockInfo::name).toList());
			return this.type.cast(factory.getProxy());
		}

		@Override
		public Class<?> getObjectType() {
			return this.type;
		}

	}

	public interface Base {

		List<String> inherited(String id);

	}

	@DistributedLockable(key = "#p0")
	public interface Repository extends Base {

		List<String> own(String id);

	}

	public interface WithFallback {

		@DistributedLockable(key = "#p0", fallback = "without")
		List<String> own(String id);

		default List<String> without(String id) {
			return List.of("without " + id);
		}

	}

	static class Inherited implements Base {

		@Override
		public List<String> inherited(String id) {
			return List.of();
		}

	}

	static class Unannotated {

	}

	/**
	 * A post-processor that needs a bean, which is considered for a proxy before the
	 * other post-processors exist.
	 */
	@Configuration(proxyBeanMethods = false)
	static class EarlyBean {

		@Bean
		Unannotated needed() {
			return new Unannotated();
		}

		@Bean
		static Witness witness(Unannotated needed, ConfigurableListableBeanFactory beanFactory) {
			return new Witness(List.of(beanFactory.getSingletonNames()));
		}

		record Witness(List<String> early) implements BeanPostProcessor {

		}

	}

}
