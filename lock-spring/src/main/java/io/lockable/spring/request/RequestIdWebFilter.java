package io.lockable.spring.request;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * A reactive web filter that gives every request an id, by the rules of the
 * {@link RequestIdFilter}. It uses the id in the request's header if that is
 * {@linkplain RequestId#isValid valid}, and generates one otherwise. The response carries
 * the id in the same header.
 *
 * <p>
 * The Reactor context contains the id under {@link RequestIdThreadLocalAccessor#KEY}.
 * Threads and their MDC have it if Reactor's automatic context propagation is enabled.
 *
 * @since 0.1.0
 */
public final class RequestIdWebFilter implements WebFilter, Ordered {

	private static final String ATTRIBUTE = RequestIdWebFilter.class.getName() + ".ID";

	private final String header;

	/**
	 * Creates a filter.
	 * @param header the name of the header, in the request and in the response
	 */
	public RequestIdWebFilter(String header) {
		this.header = header;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		String id = (String) exchange.getAttributes().computeIfAbsent(ATTRIBUTE, (name) -> id(exchange.getRequest()));
		HttpHeaders headers = exchange.getResponse().getHeaders();
		headers.set(this.header, id);
		// Set again: an error handler may reset the response
		exchange.getResponse().beforeCommit(() -> Mono.fromRunnable(() -> headers.set(this.header, id)));
		return chain.filter(exchange).contextWrite((context) -> context.put(RequestIdThreadLocalAccessor.KEY, id));
	}

	private String id(ServerHttpRequest request) {
		String sent = request.getHeaders().getFirst(this.header);
		return (sent != null && RequestId.isValid(sent)) ? sent : RequestId.generate();
	}

	@Override
	public int getOrder() {
		return RequestIdFilter.ORDER;
	}

}
