package io.lockable.autoconfigure.store;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says how to give the locks a store.
 */
final class MissingLockStoreFailureAnalyzer extends AbstractFailureAnalyzer<MissingLockStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingLockStoreException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
	}

}
