package com.example.orders;

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
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Another request pays this order");
	}

	@ExceptionHandler
	ProblemDetail outage(LockStoreException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "Orders cannot be paid at the moment");
	}

}
