package io.lockable.spring.request;

import io.lockable.Internal;

import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestInitializer;

/**
 * Adds the request id of the current thread to calls of {@code RestClient} and
 * {@code RestTemplate}. An interceptor would buffer each body.
 */
@Internal
public final class RequestIdInitializer implements ClientHttpRequestInitializer {

	private final OutgoingRequestId outgoing;

	/**
	 * Creates an initializer.
	 * @param outgoing the calls that carry the id
	 */
	public RequestIdInitializer(OutgoingRequestId outgoing) {
		this.outgoing = outgoing;
	}

	@Override
	public void initialize(ClientHttpRequest request) {
		String id = RequestId.current();
		if (id != null && this.outgoing.matches(request.getURI())) {
			request.getHeaders().set(this.outgoing.header(), id);
		}
	}

}
