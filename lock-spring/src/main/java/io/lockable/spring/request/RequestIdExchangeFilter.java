package io.lockable.spring.request;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;

/**
 * Adds the request id to calls of {@code WebClient}: the id of the Reactor context, or
 * else that of the subscribing thread.
 *
 * @param outgoing the calls that carry the id
 */
public record RequestIdExchangeFilter(OutgoingRequestId outgoing) implements ExchangeFilterFunction {

	@Override
	public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
		if (!this.outgoing.matches(request.url())) {
			return next.exchange(request);
		}
		return Mono.deferContextual((context) -> {
			String id = requestId(context);
			return next.exchange((id != null) ? with(request, id) : request);
		});
	}

	private static @Nullable String requestId(ContextView context) {
		return (context.getOrDefault(RequestIdThreadLocalAccessor.KEY, null) instanceof String id) ? id
				: RequestId.current();
	}

	private ClientRequest with(ClientRequest request, String id) {
		return ClientRequest.from(request).headers((headers) -> headers.set(this.outgoing.header(), id)).build();
	}

}
