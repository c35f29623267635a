package io.lockable.autoconfigure.store;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says what to do about a store that does not work.
 */
final class UnreachableLockStoreFailureAnalyzer extends AbstractFailureAnalyzer<UnreachableLockStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnreachableLockStoreException cause) {
		return new FailureAnalysis(cause.getDescription(),
				"Start the server, or correct its address and credentials (spring.data.redis.*). To start "
						+ "without the server and lock as soon as it is available, set "
						+ "distributed-lock.check.unreachable-store to warn or ignore.",
				cause);
	}

}
