package io.lockable.spring.call;

import java.util.List;
import java.util.Optional;

import io.lockable.LockContext;
import io.lockable.LockContextHolder;
import io.lockable.LockLostException;
import io.lockable.spring.call.LockAcquirer.Outcome;
import io.lockable.spring.call.LockedInvoker.Body;
import io.lockable.spring.metadata.LockOperation;
import io.lockable.spring.metadata.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a method whose work is done when it returns. The calling thread holds the
 * locks, so calls within it are reentrant.
 *
 * <p>
 * In the transaction of a caller, what the body wrote is seen by nobody yet when it
 * returns: the thread then goes on to hold the locks until that transaction completes.
 */
final class ValueCall extends LockedCall {

	ValueCall(LockOperation operation, LockAcquirer locks) {
		super(operation, locks);
	}

	@Override
	@Nullable Object invoke(Object target, @Nullable Object[] arguments, Body body) throws Throwable {
		List<LockRequest> requests = requests(target, arguments);
		if (requests.isEmpty()) {
			return body.run();
		}
		Outcome outcome = locks().acquire(requests, locks()::forThread, operation().method());
		if (outcome.refused() != null) {
			return notAcquired(outcome.refused(), target, arguments);
		}
		return run(outcome.held(), body);
	}

	private @Nullable Object run(List<HeldLock> held, Body body) throws Throwable {
		boolean inTransaction = operation().keepUntilTransactionCompletes() && CallerTransaction.isActive();
		LockContext outer = LockContextHolder.replace(HeldLock.context(held));
		LossWatch watch = LossWatch.start(held);
		Object result;
		try {
			result = body.run();
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

	@Override
	@Nullable Object skipped() {
		return (operation().method().getReturnType() == Optional.class) ? Optional.empty() : null;
	}

}
