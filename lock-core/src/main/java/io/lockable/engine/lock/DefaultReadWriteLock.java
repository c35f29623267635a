package io.lockable.engine.lock;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;

/**
 * The two locks of one key.
 *
 * @param readLock the shared lock
 * @param writeLock the exclusive lock
 */
record DefaultReadWriteLock(DistributedLock readLock, DistributedLock writeLock) implements DistributedReadWriteLock {

	@Override
	public String key() {
		return this.writeLock.key();
	}

	@Override
	public String toString() {
		return "DistributedReadWriteLock[" + key() + "]";
	}

}
