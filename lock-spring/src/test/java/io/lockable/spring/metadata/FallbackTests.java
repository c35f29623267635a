package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.Optional;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockFailureHandler;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LockSettings;
import io.lockable.spring.LocksInMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link FallbackResolver}, and for failure handlers.
 */
class FallbackTests {

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner().withBean("other", Other.class);

	@Test
	void fallbackRunsInsteadOfTheMethodWhenHeldByOther() {
		whileHeld((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThat(orders.simple("1")).isEqualTo("later 1");
			assertThat(orders.ran()).isFalse();
		});
	}

	@Test
	void fallbackDoesNotRunWhenTheKeyCannotBeBuilt() {
		whileHeld((context) -> assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> context.getBean(Orders.class).simple(null)));
	}

	@Test
	void fallbackTakesTheException() {
		whileHeld((context) -> assertThat(context.getBean(Orders.class).explained("1")).contains("1: Lock 'disLock:1'",
				"Orders.explained(String)", "was not acquired"));
	}

	@Test
	void fallbackOfAnotherBeanRuns() {
		whileHeld((context) -> assertThat(context.getBean(Orders.class).elsewhere("1")).isEqualTo("other 1"));
	}

	@Test
	void fallbackOfAnotherBeanRunsUnderItsOwnLock() {
		whileHeld((context) -> assertThat(context.getBean(Orders.class).locked("1")).isEqualTo("holding 1"));
	}

	@Test
	void fallbackOfABeanBehindAnInterfaceProxyRuns() {
		this.contextRunner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("port", PortService.class)
			.withBean(OverPort.class)
			.run(heldBy((context) -> assertThat(context.getBean(OverPort.class).call("1")).isEqualTo("holding 1")));
	}

	@Test
	void fallbackTakesTheArgumentsOfAGenericMethodInItsClass() {
		this.contextRunner.withBean(TextStore.class).run(heldBy((context) -> {
			assertThat(context.getBean(TextStore.class).save("1")).isEqualTo("later 1");
			assertThat(context.getBean(TextStore.class).saveAll("1")).isEqualTo("all later");
		}));
	}

	@Test
	void fallbackThatAnInterfaceProxyDoesNotHaveKeepsTheApplicationFromStarting() {
		this.contextRunner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(BeyondPort.class)
			.withBean("port", PortService.class)
			.run((context) -> {
				InvalidDistributedLockableException analysis = LocksInMemory.problem(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("FallbackTests.BeyondPort.call(String)",
						"fallback = \"port::beyond\" is missing from the proxy of the bean 'port'");
				assertThat(analysis.getAction()).contains("Add the method to an interface of the bean");
			});
	}

	@Test
	void packagePrivateFallbackWithWiderArgumentsRuns() {
		whileHeld((context) -> assertThat(context.getBean(Orders.class).wider("1")).contains(1L));
	}

	@Test
	void fallbackOfPrimitiveRuns() {
		whileHeld((context) -> assertThat(context.getBean(Orders.class).count("1")).isEqualTo(-1));
	}

	@Test
	void exceptionOfTheFallbackReachesTheCaller() {
		whileHeld((context) -> assertThatIllegalStateException()
			.isThrownBy(() -> context.getBean(Orders.class).failing("1"))
			.withMessage("no 1"));
	}

	@Test
	void failureHandlerDecides() {
		this.contextRunner
			.withBean("handler", LockFailureHandler.class,
					() -> (method, target, arguments, failure) -> method.getName() + " of "
							+ target.getClass().getSimpleName() + " " + arguments[0] + " " + failure.getMessage())
			.withBean(Handled.class)
			.run(heldBy((context) -> assertThat(context.getBean(Handled.class).call("1"))
				.startsWith("call of Handled 1 Lock 'disLock:1'")));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"missing|names no method of|Write one: String missing(String).",
			"wrongArgument|names FallbackTests.Invalid.wrongArgument(Integer), which does not take the same arguments|Write String wrongArgument(String), optionally with a LockNotAcquiredException",
			"wrongException|does not take the same arguments|optionally with a LockNotAcquiredException",
			"wrongResult|returns java.lang.Integer, which is not assignable to java.lang.String|Change its return type to java.lang.String.",
			"noResult|returns void, which is not assignable to java.lang.String|Change its return type to java.lang.String.",
			"hidden|is private|Make it package-private, protected or public.",
			"ambiguous|is ambiguous|Rename one of them.",
			"nobody::later|refers to the bean 'nobody', which does not exist|Write the name of a bean before '::'",
			"other::hidden|is not public|Make it public.", "locked|has its own lock|Write bean::method",
			"later; onFailure=SKIP|it has several of onFailure = SKIP, fallback = \"later\"|Give one of them.",
			"later & key=b; fallback=other|its annotations set fallback = later and other|Set 'fallback' on one of them" })
	void fallbackThatCannotWorkIsRefused(String fallback, String description, String action) {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerSingleton("other", new Other(mock(DistributedLocks.class)));
		Method method = ReflectionUtils.findMethod(Invalid.class, "call", String.class);
		LockableMethod lockable = new LockableMethod(method, method, Annotations.of("key=a; fallback=" + fallback));
		assertThatExceptionOfType(InvalidDistributedLockableException.class).isThrownBy(
				() -> new LockOperations(beanFactory, LockSettings.defaults()).create(method, lockable, Invalid.class))
			.satisfies((problem) -> {
				assertThat(problem.getDescription()).contains("FallbackTests.Invalid.call(String)", description);
				assertThat(problem.getAction()).contains(action);
			});
	}

	private void whileHeld(ContextConsumer<AssertableApplicationContext> check) {
		this.contextRunner.withBean(Orders.class).run(heldBy(check));
	}

	private static ContextConsumer<AssertableApplicationContext> heldBy(
			ContextConsumer<AssertableApplicationContext> check) {
		return (context) -> {
			assertThat(context).hasNotFailed();
			try (Lease lease = context.getBean(DistributedLocks.class).get("disLock:1").tryAcquire().orElseThrow()) {
				check.accept(context);
				assertThat(lease.isHeld()).isTrue();
			}
		};
	}

	public static class Orders {

		private boolean ran;

		boolean ran() {
			return this.ran;
		}

		@DistributedLockable(key = "#id", fallback = "later")
		public String simple(String id) {
			this.ran = true;
			return "done";
		}

		public String later(String id) {
			return "later " + id;
		}

		@DistributedLockable(key = "#id", fallback = "explain")
		public String explained(String id) {
			return "done";
		}

		protected String explain(String id, LockException failure) {
			assertThat(failure).isInstanceOf(LockNotAcquiredException.class);
			return id + ": " + failure.getMessage();
		}

		@DistributedLockable(key = "#id", fallback = "other::instead")
		public String elsewhere(String id) {
			return "done";
		}

		@DistributedLockable(key = "#id", fallback = "other::locked")
		public String locked(String id) {
			return "done";
		}

		@DistributedLockable(key = "#id", fallback = "any")
		public Optional<Long> wider(String id) {
			return Optional.empty();
		}

		Optional<Long> any(Object... ids) {
			return Optional.empty();
		}

		Optional<Long> any(CharSequence id) {
			return Optional.of(1L);
		}

		@DistributedLockable(key = "#id", fallback = "noCount")
		public int count(String id) {
			return 1;
		}

		Integer noCount(String id) {
			return -1;
		}

		@DistributedLockable(key = "#id", fallback = "fail")
		public void failing(String id) {
		}

		void fail(String id) {
			throw new IllegalStateException("no " + id);
		}

	}

	public static class Other {

		private final DistributedLocks locks;

		Other(DistributedLocks locks) {
			this.locks = locks;
		}

		public String instead(String id) {
			return "other " + id;
		}

		@DistributedLockable(key = "other-#{#id}")
		public String locked(String id) {
			return this.locks.get("disLock:other-" + id).isHeldByCurrentThread() ? "holding " + id : "unlocked";
		}

		String hidden(String id) {
			return "hidden";
		}

	}

	interface Port {

		String instead(String id);

	}

	public static class PortService implements Port {

		private final DistributedLocks locks;

		PortService(DistributedLocks locks) {
			this.locks = locks;
		}

		@Override
		@DistributedLockable(key = "port-#{#id}")
		public String instead(String id) {
			return this.locks.get("disLock:port-" + id).isHeldByCurrentThread() ? "holding " + id : "unlocked";
		}

		public String beyond(String id) {
			return id;
		}

	}

	public static class BeyondPort {

		@DistributedLockable(key = "#id", fallback = "port::beyond")
		public String call(String id) {
			return "done";
		}

	}

	public abstract static class Store<T> {

		@DistributedLockable(key = "#p0", fallback = "later")
		public String save(T value) {
			return "saved";
		}

	}

	public static class TextStore extends Store<String> {

		String later(String value) {
			return "later " + value;
		}

		@DistributedLockable(key = "#p0[0]", fallback = "allLater")
		@SuppressWarnings("unchecked")
		public <V> String saveAll(V... values) {
			return "saved";
		}

		String allLater(Object... values) {
			return "all later";
		}

	}

	public static class OverPort {

		@DistributedLockable(key = "#id", fallback = "port::instead")
		public String call(String id) {
			return "done";
		}

	}

	@SuppressWarnings({ "UnusedMethod", "UnusedVariable" })
	public static class Invalid {

		public String call(String id) {
			return id;
		}

		public String later(String id) {
			return id;
		}

		public String wrongArgument(Integer id) {
			return "later";
		}

		public String wrongException(String id, LockKeyException failure) {
			return id;
		}

		public Integer wrongResult(String id) {
			return 1;
		}

		public void noResult(String id) {
		}

		private String hidden(String id) {
			return id;
		}

		public String ambiguous(String id) {
			return id;
		}

		public String ambiguous(String id, LockNotAcquiredException failure) {
			return id;
		}

		@DistributedLockable(key = "later")
		public String locked(String id) {
			return id;
		}

	}

	public static class Handled {

		@DistributedLockable(key = "#id", failureHandler = "handler")
		public String call(String id) {
			return "done";
		}

	}

}
