package io.lockable.matrix;

import io.lockable.annotation.DistributedLockable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Annotated methods that return publishers, for class paths with Reactor.
 */
@Configuration(proxyBeanMethods = false)
class ReactiveBeans {

	@Bean
	Stream stream() {
		return new Stream();
	}

	static class Stream {

		@DistributedLockable(key = "#id")
		Mono<String> one(String id, Mono<String> result) {
			return result;
		}

		@DistributedLockable(key = "#id")
		Flux<String> many(String id, Flux<String> results) {
			return results;
		}

	}

}
