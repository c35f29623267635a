package io.lockable.matrix;

import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLocks;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/**
 * An application that locks during requests.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableAsync
class WebApplication {

	@Bean
	Later later(DistributedLocks locks) {
		return new Later(locks);
	}

	@RestController
	static class Counter {

		private final DistributedLocks locks;

		private final Later later;

		private final RestClient client;

		Counter(DistributedLocks locks, Later later, RestClient.Builder client) {
			this.locks = locks;
			this.later = later;
			this.client = client.build();
		}

		@GetMapping("/owner")
		String owner() throws InterruptedException {
			try (var lease = this.locks.get("counter").acquire()) {
				return lease.owner();
			}
		}

		@GetMapping("/later")
		CompletableFuture<String> later() {
			return this.later.owner();
		}

		@GetMapping("/call")
		String call(@RequestParam("url") String url) {
			return String.valueOf(this.client.get().uri(url).retrieve().body(String.class));
		}

		@GetMapping("/received")
		String received(@RequestHeader(name = "Req-Id", defaultValue = "none") String requestId) {
			return requestId;
		}

	}

	static class Later {

		private final DistributedLocks locks;

		Later(DistributedLocks locks) {
			this.locks = locks;
		}

		@Async
		CompletableFuture<String> owner() {
			try (var lease = this.locks.get("later").acquire()) {
				return CompletableFuture.completedFuture(lease.owner());
			}
			catch (InterruptedException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

	}

}
