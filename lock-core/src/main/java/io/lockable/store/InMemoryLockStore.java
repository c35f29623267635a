package io.lockable.store;
/** Placeholder. */
public final class InMemoryLockStore  {
}
