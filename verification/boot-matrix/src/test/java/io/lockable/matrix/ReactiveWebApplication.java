package io.lockable.matrix;

import java.util.Objects;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * A reactive application that locks during requests.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ReactiveWebApplication {

	@Bean
	RouterFunction<ServerResponse> call(WebClient.Builder builder) {
		WebClient client = builder.build();
		return RouterFunctions
			.route(RequestPredicates.GET("/call"), (request) -> ServerResponse.ok()
				.body(client.get().uri(request.queryParam("url").orElseThrow()).retrieve().bodyToMono(String.class),
						String.class))
			.andRoute(RequestPredicates.GET("/received"), (request) -> ServerResponse.ok()
				.bodyValue(Objects.requireNonNullElse(request.headers().firstHeader("Req-Id"), "none")));
	}

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
