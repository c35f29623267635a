package io.lockable.spring.call;

import java.util.List;

import io.lockable.LockLostException;
import io.lockable.spring.call.LockAcquirer.Outcome;
import io.lockable.spring.metadata.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a method whose work is done when it returns. The calling thread holds the
 * locks, so nested calls are reentrant.
 *
 * <p>
 * In a transaction of the caller, the writes of the method are invisible to other
 * transactions when it returns. The thread therefore holds the locks until that
 * transaction completes.
 */
final class ValueCall {

	private ValueCall() {
	}

	static @Nullable Object invoke(LockedCall call) throws Throwable {
		List<LockRequest> requests = call.requests();
		if (requests.isEmpty()) {
			return call.run();
		}
		Outcome outcome = call.locks().acquire(requests, false, call.operation().method());
		return (outcome.refused() != null) ? call.notAcquired(outcome.refused()) : run(call, outcome.held());
	}

	private static @Nullable Object run(LockedCall call, List<HeldLock> held) throws Throwable {
		boolean inTransaction = call.operation().keepUntilTransactionCompletes() && CallerTransaction.isActive();
		Object result;
		try {
			result = call.run(held);
		}
		catch (Throwable ex) {
			leave(held, inTransaction, ex);
			throw ex;
		}
		LockLostException lost = leave(held, inTransaction, null);
		if (lost != null) {
			throw lost;
		}
		return result;
	}

	private static @Nullable LockLostException leave(List<HeldLock> held, boolean inTransaction,
			@Nullable Throwable failure) {
		return (inTransaction && CallerTransaction.keep(held)) ? HeldLock.findLost(held)
				: HeldLock.release(held, failure);
	}

}
