package io.lockable.sample;

import java.util.function.LongConsumer;

import io.lockable.LockContext;
import io.lockable.annotation.DistributedLockable;

import org.springframework.stereotype.Service;

/**
 * The shop of each instance. A purchase reads the stock, thinks about it and writes back
 * what is left, which is only correct if purchases run one after the other.
 */
@Service
public class Shop {

	private final Stock stock;

	Shop(Stock stock) {
		this.stock = stock;
	}

	/**
	 * Sells one item. All instances run one purchase of an item at a time. The stock
	 * refuses a purchase whose lock has passed to another one.
	 * @param item the item, whose lock is {@code disLock:<item>}
	 * @param thought runs between reading and writing, with the fencing token
	 * @return whether an item was left
	 * @throws StaleTokenException if a later purchase reached the stock first
	 */
	@DistributedLockable(key = "#item", waitTime = 10, retain = "${shop.retain:500ms}")
	public boolean buy(String item, LongConsumer thought) {
		return sell(item, LockContext.current().fencingToken(), thought);
	}

	/**
	 * Sells one item without a lock.
	 * @param item the item
	 * @param thought runs between reading and writing
	 * @return whether an item was left
	 */
	public boolean buyUnlocked(String item, LongConsumer thought) {
		return sell(item, Stock.NO_TOKEN, thought);
	}

	/**
	 * Locks a shelf. Calls that lock the same shelves in different orders can deadlock.
	 * @param shelf the shelf, whose lock is {@code disLock:<shelf>}
	 * @param work runs under the lock
	 */
	@DistributedLockable(key = "#shelf", waitTime = 10)
	public void withShelf(String shelf, Runnable work) {
		work.run();
	}

	private boolean sell(String item, long token, LongConsumer thought) {
		int left = this.stock.read(item, token);
		if (left <= 0) {
			return false;
		}
		thought.accept(token);
		this.stock.write(item, left - 1, token);
		return true;
	}

}
