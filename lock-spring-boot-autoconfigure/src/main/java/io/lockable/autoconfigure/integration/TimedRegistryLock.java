package io.lockable.autoconfigure.integration;

import java.time.Duration;

import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of a registry, as Spring Integration 7 wants it: its methods with a time to live
 * are part of an interface there.
 */
final class TimedRegistryLock extends RegistryLock implements DistributedLock {

	TimedRegistryLock(RegistryLocks registry, String key) {
		super(registry, key);
	}

	@Override
	public void lock(Duration ttl) {
		lockFor(ttl);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return tryLockFor(waitTime, ttl);
	}

}
