package io.lockable.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The waiters of one {@link LockQueue}, in the order of their arrival. Guarded by its
 * mutex.
 */
final class Waiters {

	private final LinkedHashSet<Waiter> waiters = new LinkedHashSet<>();

	private int impatient;

	void add(Waiter waiter) {
		if (this.waiters.add(waiter) && !waiter.isPatient()) {
			this.impatient++;
		}
	}

	/**
	 * Removes a waiter, whose outcome the caller then decides.
	 * @param waiter the waiter
	 * @return {@code false} if it was decided already
	 */
	boolean remove(Waiter waiter) {
		boolean removed = this.waiters.remove(waiter);
		if (removed && !waiter.isPatient()) {
			this.impatient--;
		}
		return removed;
	}

	<T> List<T> map(Function<Waiter, T> function) {
		return this.waiters.stream().map(function).toList();
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	Waiter first() {
		return this.waiters.iterator().next();
	}

	boolean isFirst(Waiter waiter) {
		return !this.waiters.isEmpty() && first() == waiter;
	}

	boolean has(String owner) {
		return this.waiters.stream().anyMatch((waiter) -> waiter.owner().equals(owner));
	}

	List<Waiter> takeAll() {
		return takeIf((waiter) -> true);
	}

	/**
	 * Removes those that wanted one try only, or whose time is over.
	 * @param now the time
	 * @return the waiters, whose outcome the caller then decides
	 */
	List<Waiter> takeOver(long now) {
		return takeIf((waiter) -> !waiter.isPatient() || waiter.isOver(now));
	}

	List<Waiter> takeImpatient() {
		return (this.impatient > 0) ? takeIf((waiter) -> !waiter.isPatient()) : List.of();
	}

	List<Waiter> takeIf(Predicate<Waiter> condition) {
		List<Waiter> taken = new ArrayList<>();
		for (Waiter waiter : this.waiters) {
			if (condition.test(waiter)) {
				taken.add(waiter);
			}
		}
		taken.forEach(this::remove);
		return taken;
	}

}
