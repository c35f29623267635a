package io.lockable.autoconfigure;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a real application finds the registrations of this module with Spring Boot.
 */
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

}
