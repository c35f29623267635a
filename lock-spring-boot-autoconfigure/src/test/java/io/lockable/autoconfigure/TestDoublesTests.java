package io.lockable.autoconfigure;

import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static io.lockable.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/**
 * Tests for beans with annotated methods that a test replaces.
 */
@Tag("extended")
class TestDoublesTests {

	private static String state(DistributedLocks locks, String key) {
		return locks.get(key).isHeldByCurrentThread() ? "locked" : "free";
	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "distributed-lock.store=memory")
	class Stub {

		@TestBean
		private Till till;

		static Till till() {
			return new StubbedTill();
		}

		@Test
		void stubAnswersWithoutLock() {
			assertThat(this.till.pay("42")).isEqualTo("stub, free");
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "distributed-lock.store=memory")
	class Spy {

		@MockitoSpyBean
		private Till till;

		@Test
		void spyIsLocked() {
			assertThat(this.till.pay("42")).isEqualTo("paid, locked");
			then(this.till).should().pay("42");
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "distributed-lock.store=memory")
	@Import(BeanOfTest.class)
	class BeanThatIsPrimary {

		@Autowired
		private Till till;

		@Test
		void beanOfTestIsLocked() {
			assertThat(this.till.pay("42")).isEqualTo("subclass, locked");
		}

	}

	@Nested
	@WebMvcTest(controllers = {})
	@ContextConfiguration(classes = Application.class)
	@AutoConfigureDistributedLocks
	class MockInSlice {

		@MockitoBean
		private Till till;

		@Autowired
		private Register register;

		@Test
		void mockAnswersWithoutLockBesideLockedBeans() {
			given(this.till.pay("42")).willReturn("mocked");
			assertThat(this.till.pay("42")).isEqualTo("mocked");
			assertThat(this.register.read("42")).isEqualTo("read, locked");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Till.class, PlainRegister.class })
	static class Application {

	}

	static class Till {

		@Autowired
		private DistributedLocks locks;

		@DistributedLockable(key = "#order")
		String pay(String order) {
			return "paid, " + stateOf(order);
		}

		String stateOf(String order) {
			return state(this.locks, "disLock:" + order);
		}

	}

	static final class StubbedTill extends Till {

		@Override
		@DistributedLockable(key = "#order")
		String pay(String order) {
			return "stub, free";
		}

	}

	interface Register {

		@DistributedLockable(key = "#order")
		String read(String order);

	}

	static class PlainRegister implements Register {

		private final DistributedLocks locks;

		PlainRegister(DistributedLocks locks) {
			this.locks = locks;
		}

		@Override
		public String read(String order) {
			return "read, " + state(this.locks, "disLock:" + order);
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class BeanOfTest {

		@Bean
		@Primary
		Till subclass() {
			return new Till() {

				@Override
				String pay(String order) {
					return "subclass, " + stateOf(order);
				}

			};
		}

	}

}
