package io.lockable.autoconfigure.aop;

import io.lockable.spring.InvalidDistributedLockableException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says what to write instead of an annotation that cannot work.
 */
final class InvalidDistributedLockableFailureAnalyzer
		extends AbstractFailureAnalyzer<InvalidDistributedLockableException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidDistributedLockableException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
	}

}
