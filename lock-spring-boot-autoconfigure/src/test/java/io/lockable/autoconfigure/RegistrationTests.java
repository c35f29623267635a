package io.lockable.autoconfigure;

import io.lockable.annotation.DistributedLockable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that a real application finds the registrations of this module with Spring Boot.
 */
@ExtendWith(OutputCaptureExtension.class)
class RegistrationTests {

	@Test
	void autoConfigurationsAreRegistered() {
		assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()).getCandidates())
			.filteredOn((name) -> name.startsWith("io.lockable."))
			.contains("io.lockable.autoconfigure.actuate.LockHealthAutoConfiguration",
					"io.lockable.autoconfigure.web.RequestIdAutoConfiguration",
					"io.lockable.autoconfigure.web.RequestIdClientAutoConfiguration")
			.allSatisfy((name) -> assertThat(Class.forName(name)).hasAnnotation(AutoConfiguration.class));
	}

	@Test
	void invalidAnnotationIsAnalyzed(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(WithOrders.class, "--distributed-lock.store=memory"));
		assertThat(output).contains("APPLICATION FAILED TO START", "Description:",
				"the key 'order-#id' has 'order', which is neither an argument nor quoted text", "Action:",
				"key = \"order-#{#id}\"");
	}

	@Test
	void unknownTemplateIsAnalyzed(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(Plain.class, "--distributed-lock.redis.template=other"));
		assertThat(output).contains("APPLICATION FAILED TO START", "names the bean 'other'",
				"Set it to one of these beans: stringRedisTemplate.");
	}

	@Test
	void propertyOutOfRangeIsAnalyzed(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(Plain.class, "--distributed-lock.command-timeout=0s"));
		assertThat(output).contains("APPLICATION FAILED TO START",
				"'distributed-lock.command-timeout' must be between 1ms and 1h, was 0s");
	}

	private static void run(Class<?> type, String argument) {
		SpringApplication application = new SpringApplicationBuilder(type).web(WebApplicationType.NONE).build();
		application.run(argument).close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WithOrders {

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Plain {

	}

	static class Orders {

		@DistributedLockable(key = "order-#id")
		void pay(String id) {
		}

	}

}
