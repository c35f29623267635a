package io.lockable.matrix;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * A reactive application that locks while it answers.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ReactiveWebApplication {

	@Bean
	RouterFunction<ServerResponse> owner(DistributedLocks locks) {
		return RouterFunctions.route(RequestPredicates.GET("/owner"), (request) -> ServerResponse.ok()
			.body(Mono.fromFuture(() -> locks.get("reactive-counter").acquireAsync()).map((lease) -> {
				try (Lease held = lease) {
					return held.owner();
				}
			}), String.class));
	}

}
