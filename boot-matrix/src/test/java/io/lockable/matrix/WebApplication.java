package io.lockable.matrix;

import io.lockable.DistributedLocks;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application that locks while it answers.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class WebApplication {

	@RestController
	static class Counter {

		private final DistributedLocks locks;

		Counter(DistributedLocks locks) {
			this.locks = locks;
		}

		@GetMapping("/owner")
		String owner() throws InterruptedException {
			try (var lease = this.locks.get("counter").acquire()) {
				return lease.owner();
			}
		}

	}

}
