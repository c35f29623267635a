package io.lockable.spring.call;

import java.util.List;

import io.lockable.LockContext;
import io.lockable.LockContextHolder;
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
		Outcome outcome = call.locks().acquire(requests, call.locks()::forThread, call.operation().method());
		return (outcome.refused() != null) ? call.notAcquired(outcome.refused()) : run(call, outcome.held());
	}

	private static @Nullable Object run(LockedCall call, List<HeldLock> held) throws Throwable {
		boolean inTransaction = call.operation().keepUntilTransactionCompletes() && CallerTransaction.isActive();
		LockContext outer = LockContextHolder.replace(HeldLock.context(held));
		LossWatch watch = LossWatch.start(held);
		Object result;
		try {
			result = call.run();
		}
		catch (Throwable ex) {
			leave(held, watch, outer, inTransaction, ex);
			throw ex;
		}
		LockLostException lost = leave(held, watch, outer, inTransaction, null);
		if (lost != null) {
			throw lost;
		}
		return result;
	}

	private static @Nullable LockLostException leave(List<HeldLock> held, @Nullable LossWatch watch,
			@Nullable LockContext outer, boolean inTransaction, @Nullable Throwable failure) {
		if (watch != null) {
			watch.end();
		}
		LockContextHolder.replace(outer);
		if (inTransaction && CallerTransaction.keep(held)) {
			return HeldLock.findLost(held);
		}
		return HeldLock.release(held, failure);
	}

}
