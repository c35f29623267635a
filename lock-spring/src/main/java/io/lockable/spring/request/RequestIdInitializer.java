package io.lockable.spring.request;

import io.lockable.Internal;

import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestInitializer;

/**
 * Lets calls of {@code RestClient} and {@code RestTemplate} carry the request id of the
 * current thread. An interceptor would do so as well, and have each body buffered.
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
