package io.lockable.spring.metadata;

import java.util.List;
import java.util.Optional;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockFailureHandler;
import io.lockable.annotation.OnFailure;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LocksInMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link FallbackResolver}, and for failure handlers.
 */
class FallbackTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner().withBean("other", Other.class)
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LocksInMemory.class));

	@Test
	void fallbackRunsInsteadOfTheMethodWhenHeldByOther() {
		whileHeld((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThat(orders.simple("1")).isEqualTo("later 1");
			assertThat(orders.ran()).isFalse();
		});
	}

	@Test
	void fallbackDoesNotRunWhenTheLockIsFree() {
		this.contextRunner.withBean(Orders.class)
			.run((context) -> assertThat(context.getBean(Orders.class).simple("1")).isEqualTo("done"));
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
	void fallbackThatAnInterfaceProxyDoesNotHaveKeepsTheApplicationFromStarting() {
		this.contextRunner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(BeyondPort.class)
			.withBean("port", PortService.class)
			.run((context) -> {
				assertThat(context).hasFailed();
				InvalidDistributedLockableException analysis = LocksInMemory.problem(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).contains("FallbackTests.BeyondPort.call(String)",
						"fallback = \"port::beyond\" is missing from the proxy of the bean 'port'");
				assertThat(analysis.getAction()).contains("Add the method to an interface of the bean");
			});
	}

	@Test
	void inaccessibleFallbackKeepsTheApplicationFromStarting() {
		this.contextRunner.withInitializer((context) -> context.getBeanFactory().registerSingleton("jdk", List.of("x")))
			.withBean(Inaccessible.class)
			.run((context) -> {
				assertThat(context).hasFailed();
				InvalidDistributedLockableException problem = LocksInMemory.problem(context.getStartupFailure());
				assertThat(problem).isNotNull();
				assertThat(problem.getDescription()).contains("fallback = \"jdk::size\" names", "is not accessible");
				assertThat(problem.getAction()).contains("public");
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
	void inheritedFallbackRuns() {
		this.contextRunner.withBean(Inheriting.class)
			.run(heldBy((context) -> assertThat(context.getBean(Inheriting.class).simple("1")).isEqualTo("later 1")));
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

	@Test
	void exceptionOfTheFailureHandlerReachesTheCaller() {
		this.contextRunner.withBean("handler", LockFailureHandler.class, () -> (method, target, arguments, failure) -> {
			throw failure;
		})
			.withBean(Handled.class)
			.run(heldBy((context) -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Handled.class).call("1"))));
	}

	@Test
	void failureHandlerThatDoesNotExistKeepsTheApplicationFromStarting() {
		this.contextRunner.withBean("handler", String.class, () -> "no handler")
			.withBean(Handled.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("failureHandler = \"handler\" names no bean of type LockFailureHandler"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', value = {
			"Missing|names no method of|Write one: String later(String).",
			"WrongArguments|names FallbackTests.WrongArguments.later(Integer), which does not take the same arguments|Write String later(String), optionally with a LockNotAcquiredException",
			"WrongException|does not take the same arguments|optionally with a LockNotAcquiredException",
			"WrongResult|returns java.lang.Integer, which is not assignable to java.lang.String|Change its return type to java.lang.String.",
			"VoidForResult|returns void, which is not assignable to java.lang.String|Change its return type to java.lang.String.",
			"ResultForVoid|returns java.lang.String, which is not assignable to void|Change its return type to void.",
			"Private|is private|Make it package-private, protected or public.",
			"Ambiguous|is ambiguous|Rename one of them.",
			"UnknownBean|refers to the bean 'nobody', which does not exist|Write the name of a bean before '::'",
			"NotPublic|is not public|Make it public.", "LockedItself|has its own lock|Write bean::method",
			"WithOnFailure|both fallback = later and onFailure = SKIP|Give one of them.",
			"TwoFallbacks|its annotations set fallback = later and other|Set 'fallback' on one of them" })
	void fallbackThatCannotWorkKeepsTheApplicationFromStarting(String type, String description, String action) {
		this.contextRunner.withBean(ClassUtils.resolveClassName(FallbackTests.class.getName() + "$" + type, null))
			.run((context) -> {
				assertThat(context).hasFailed();
				InvalidDistributedLockableException analysis = LocksInMemory.problem(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).contains("FallbackTests." + type + ".call(String)", description);
				assertThat(analysis.getAction()).contains(action);
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

	public static class Inheriting extends Orders {

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

	public static class Inaccessible {

		@DistributedLockable(key = "1", fallback = "jdk::size")
		public int call() {
			return 1;
		}

	}

	public static class OverPort {

		@DistributedLockable(key = "#id", fallback = "port::instead")
		public String call(String id) {
			return "done";
		}

	}

	public static class Missing {

		@DistributedLockable(key = "#id", fallback = "later")
		public String call(String id) {
			return id;
		}

	}

	public static class WrongArguments {

		@DistributedLockable(key = "#id", fallback = "later")
		public String call(String id) {
			return id;
		}

		public String later(Integer id) {
			return "later";
		}

	}

	public static class WrongException {

		@DistributedLockable(key = "#id", fallback = "later")
		public String call(String id) {
			return id;
		}

		public String later(String id, LockKeyException failure) {
			return "later";
		}

	}

	public static class WrongResult {

		@DistributedLockable(key = "#id", fallback = "later")
		public String call(String id) {
			return id;
		}

		public Integer later(String id) {
			return 1;
		}

	}

	public static class VoidForResult {

		@DistributedLockable(key = "#id", fallback = "later")
		public String call(String id) {
			return id;
		}

		public void later(String id) {
		}

	}

	public static class ResultForVoid {

		@DistributedLockable(key = "#id", fallback = "later")
		public void call(String id) {
		}

		public String later(String id) {
			return id;
		}

	}

	@SuppressWarnings({ "UnusedMethod", "UnusedVariable" })
	public static class Private {

		@DistributedLockable(key = "#id", fallback = "later")
		public String call(String id) {
			return id;
		}

		private String later(String id) {
			return "later";
		}

	}

	public static class Ambiguous {

		@DistributedLockable(key = "#id", fallback = "later")
		public String call(String id) {
			return id;
		}

		public String later(String id) {
			return "later";
		}

		public String later(String id, LockNotAcquiredException failure) {
			return "later";
		}

	}

	public static class UnknownBean {

		@DistributedLockable(key = "#id", fallback = "nobody::later")
		public String call(String id) {
			return id;
		}

	}

	public static class NotPublic {

		@DistributedLockable(key = "#id", fallback = "other::hidden")
		public String call(String id) {
			return id;
		}

	}

	public static class LockedItself {

		@DistributedLockable(key = "#id", fallback = "later")
		public String call(String id) {
			return id;
		}

		@DistributedLockable(key = "later")
		public String later(String id) {
			return "later";
		}

	}

	public static class WithOnFailure {

		@DistributedLockable(key = "#id", fallback = "later", onFailure = OnFailure.SKIP)
		public String call(String id) {
			return id;
		}

		public String later(String id) {
			return "later";
		}

	}

	public static class Handled {

		@DistributedLockable(key = "#id", failureHandler = "handler")
		public String call(String id) {
			return "done";
		}

	}

	public static class WithFailureHandler {

		@DistributedLockable(key = "#id", fallback = "later", failureHandler = "handler")
		public String call(String id) {
			return id;
		}

	}

	public static class TwoFallbacks {

		@DistributedLockable(key = "#id", fallback = "later")
		@DistributedLockable(key = "a", fallback = "other")
		public String call(String id) {
			return id;
		}

		public String later(String id) {
			return "later";
		}

		public String other(String id) {
			return List.of(id).toString();
		}

	}

}
