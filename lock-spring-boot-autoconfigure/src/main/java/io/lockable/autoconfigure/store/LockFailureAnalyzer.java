package io.lockable.autoconfigure.store;

import io.lockable.LockException;
import io.lockable.spring.InvalidDistributedLockableException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * A failure analyzer for startup failures of locks. It names the correction for a missing
 * or unreachable store, or for an annotation that cannot work.
 */
final class LockFailureAnalyzer extends AbstractFailureAnalyzer<LockException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, LockException cause) {
		if (cause instanceof MissingLockStoreException missing) {
			return new FailureAnalysis(missing.getDescription(), missing.getAction(), cause);
		}
		if (cause instanceof InvalidDistributedLockableException invalid) {
			return new FailureAnalysis(invalid.getDescription(), invalid.getAction(), cause);
		}
		if (cause instanceof UnreachableLockStoreException) {
			String problem = String.valueOf(cause.getMessage());
			String cure = problem.contains("NOPERM")
					? "Run the command of the cure on the server, with spring.data.redis.username as <user> and "
							+ "distributed-lock.prefix as <prefix>."
					: "Start the server, or correct its address and credentials (spring.data.redis.*).";
			return new FailureAnalysis(problem,
					cure + " To start without the server and lock as soon as it is available, set "
							+ "distributed-lock.check.unreachable-store to warn or ignore.",
					cause);
		}
		return (cause.getCause() != null) ? analyze(cause.getCause()) : null;
	}

}
