package io.lockable.spring;

import io.lockable.LockOptions;
import io.lockable.annotation.InTransaction;
import io.lockable.annotation.OnFailure;

import org.springframework.core.Ordered;

/**
 * The settings of annotated methods. A bean of this type replaces the
 * {@linkplain #defaults defaults}; Spring Boot creates it from the properties
 * {@code distributed-lock.*}. Instances are immutable.
 *
 * @param prefix the prefix of the keys of annotated methods
 * @param options the default options of their locks
 * @param onFailure the outcome of a call while another owner holds the lock;
 * {@link OnFailure#DEFAULT} means {@link OnFailure#THROW}
 * @param inTransaction the time of the release inside a transaction of the caller;
 * {@link InTransaction#DEFAULT} means {@link InTransaction#KEEP}
 * @param order the order of the locks among other advisors. With any order other than
 * {@link #DEFAULT_ORDER}, the advisors of transactions and retries keep their orders
 * @param neverLocked the reaction to annotated methods that no proxy can lock
 * @since 0.1.0
 */
public record LockSettings(String prefix, LockOptions options, OnFailure onFailure, InTransaction inTransaction,
		int order, Reaction neverLocked) {

	/**
	 * The default order: outside of transactions and nearly all other advisors.
	 */
	public static final int DEFAULT_ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

	/**
	 * Replaces {@code DEFAULT} with the value that it means.
	 */
	public LockSettings {
		onFailure = (onFailure != OnFailure.DEFAULT) ? onFailure : OnFailure.THROW;
		inTransaction = (inTransaction != InTransaction.DEFAULT) ? inTransaction : InTransaction.KEEP;
	}

	/**
	 * Returns the default settings.
	 * @return the prefix {@code disLock:}, {@link OnFailure#THROW},
	 * {@link InTransaction#KEEP} and the default options
	 */
	public static LockSettings defaults() {
		return new LockSettings("disLock:", LockOptions.defaults(), OnFailure.DEFAULT, InTransaction.DEFAULT,
				DEFAULT_ORDER, Reaction.FAIL);
	}

}
