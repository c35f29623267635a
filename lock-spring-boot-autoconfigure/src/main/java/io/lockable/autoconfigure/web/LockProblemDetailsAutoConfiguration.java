package io.lockable.autoconfigure.web;

import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockStoreException;
import io.lockable.autoconfigure.ConditionalOnLockFlag;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * {@link AutoConfiguration Auto-configuration} for the responses of controllers to
 * exceptions of locks, with {@code distributed-lock.web.problem-details}. By default,
 * there are none. Exception handlers of the application take precedence.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnLockFlag(value = "web.problem-details", defaultValue = false)
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
public final class LockProblemDetailsAutoConfiguration {

	@Bean
	@ConditionalOnLockFlag("enabled")
	LockProblemDetails lockProblemDetails() {
		return new LockProblemDetails();
	}

	/**
	 * The responses. Their details are constants, because messages of exceptions name
	 * keys and holders. With the lowest precedence, it follows all advices of the
	 * application, also those without an order, which are registered earlier.
	 */
	@Order
	@RestControllerAdvice
	static class LockProblemDetails {

		@ExceptionHandler
		ProblemDetail contention(LockNotAcquiredException ex) {
			return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT,
					"Another call holds the lock: try again later");
		}

		@ExceptionHandler
		ProblemDetail outage(LockStoreException ex) {
			return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
					"Locks are unavailable: try again later");
		}

		// Not 503, upon which clients repeat a request that did not run
		@ExceptionHandler
		ProblemDetail loss(LockLostException ex) {
			return ProblemDetail.forStatusAndDetail(HttpStatus.INTERNAL_SERVER_ERROR,
					"The lock was lost: the request may have taken effect");
		}

	}

}
