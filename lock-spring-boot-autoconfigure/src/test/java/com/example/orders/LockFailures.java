package com.example.orders;

import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockStoreException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
public class LockFailures {

	@ExceptionHandler
	ProblemDetail contention(LockNotAcquiredException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Another request is working on it");
	}

	@ExceptionHandler({ LockStoreException.class, LockLostException.class })
	ProblemDetail unavailable(LockException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "Nothing was saved: try again later");
	}

}
