package io.lockable.matrix;

import io.lockable.annotation.DistributedLockable;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Test doubles of annotated beans, with and without AspectJ on the class path.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureDistributedLocks
class TestDoublesIntegrationTests {

	@MockitoBean
	private Till till;

	@TestBean
	private Stock stock;

	static Stock stock() {
		return new StubbedStock();
	}

	@Test
	void doublesOfAnnotatedBeansAnswerWithoutLock() {
		given(this.till.pay("42")).willReturn("mocked");
		assertThat(this.till.pay("42")).isEqualTo("mocked");
		assertThat(this.stock.take("42")).isEqualTo("stubbed");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Till till() {
			return new Till();
		}

		@Bean
		Stock warehouse() {
			return new Stock();
		}

	}

	static class Till {

		@DistributedLockable(key = "#order")
		String pay(String order) {
			return "paid";
		}

	}

	static class Stock {

		@DistributedLockable(key = "#item")
		String take(String item) {
			return "taken";
		}

	}

	static final class StubbedStock extends Stock {

		@Override
		String take(String item) {
			return "stubbed";
		}

	}

}
