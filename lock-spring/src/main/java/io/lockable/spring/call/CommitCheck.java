package io.lockable.spring.call;

import io.lockable.Internal;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Does not let a transaction be committed by a body that has lost a lock which it needs
 * to the end: the transaction is rolled back.
 */
@Internal
public final class CommitCheck implements TransactionExecutionListener {

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		LossWatch.checkCurrent();
	}

}
