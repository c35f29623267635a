package io.lockable.spring.request;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.core.Ordered;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * A servlet filter that gives every request an id. It uses the id in the request's header
 * if that is {@linkplain RequestId#isValid valid}, and generates one otherwise. The
 * response carries the id in the same header. Asynchronous and error dispatches of a
 * request keep its id.
 *
 * @since 0.1.0
 */
public final class RequestIdFilter extends OncePerRequestFilter implements Ordered {

	/**
	 * The order of the filter: before all filters that may log or lock.
	 */
	public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 1;

	private static final String ATTRIBUTE = RequestIdFilter.class.getName() + ".ID";

	private final String header;

	/**
	 * Creates a filter.
	 * @param header the name of the header, in the request and in the response
	 */
	public RequestIdFilter(String header) {
		this.header = header;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String id = id(request);
		response.setHeader(this.header, id);
		try (RequestId.Scope scope = RequestId.open(id)) {
			chain.doFilter(request, response);
		}
	}

	private String id(HttpServletRequest request) {
		if (request.getAttribute(ATTRIBUTE) instanceof String id) {
			return id;
		}
		String sent = request.getHeader(this.header);
		String id = RequestId.isValid(sent) ? sent : RequestId.generate();
		request.setAttribute(ATTRIBUTE, id);
		return id;
	}

	@Override
	protected boolean shouldNotFilterAsyncDispatch() {
		return false;
	}

	@Override
	protected boolean shouldNotFilterErrorDispatch() {
		return false;
	}

	@Override
	public int getOrder() {
		return ORDER;
	}

}
