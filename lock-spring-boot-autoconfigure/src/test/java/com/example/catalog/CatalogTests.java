package com.example.catalog;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.lockable.DistributedLocks;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.test.LockTestClock;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the code of {@code docs/guides/readers-and-writers.md}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureDistributedLocks
class CatalogTests {

	@TempDir
	private static Path folder;

	@Autowired
	private Catalog catalog;

	@Autowired
	private DistributedLocks locks;

	@Autowired
	private LockTestClock clock;

	@DynamicPropertySource
	static void properties(DynamicPropertyRegistry registry) {
		registry.add("catalog.file", () -> folder.resolve("catalog.txt").toString());
	}

	@BeforeEach
	void createFile() throws IOException {
		this.catalog.replace(List.of("mug"));
	}

	@Test
	void readersRunBesideAReaderAndAWriterDoesNot() throws IOException {
		try (Lease reader = lock().readLock().tryAcquire().orElseThrow()) {
			assertThat(reader.isHeld()).isTrue();
			assertThat(this.catalog.read()).containsExactly("mug");
			this.clock.skipWaits();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.catalog.replace(List.of("cup")));
		}
		this.catalog.replace(List.of("cup"));
		assertThat(this.catalog.read()).containsExactly("cup");
	}

	private DistributedReadWriteLock lock() {
		return this.locks.getReadWriteLock("disLock:catalog", LockOptions.defaults());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Catalog.class)
	static class Application {

	}

}
