package io.lockable.spring.request;

import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestInitializer;

/**
 * Adds the request id of the current thread to calls of {@code RestClient} and
 * {@code RestTemplate}. An interceptor would buffer each body.
 *
 * @param outgoing the calls that carry the id
 */
public record RequestIdInitializer(OutgoingRequestId outgoing) implements ClientHttpRequestInitializer {

	@Override
	public void initialize(ClientHttpRequest request) {
		String id = RequestId.current();
		if (id != null && this.outgoing.matches(request.getURI())) {
			request.getHeaders().set(this.outgoing.header(), id);
		}
	}

}
