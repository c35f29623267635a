package io.lockable.autoconfigure.aop;

import io.lockable.annotation.DistributedLockable;

/**
 * A service with an annotated method that a test replaces.
 */
class Orders {

	@DistributedLockable(key = "#id")
	String pay(String id) {
		return "receipt of " + id;
	}

}
