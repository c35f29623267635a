package io.lockable.sample;

import io.lockable.DistributedLockable;

import org.springframework.stereotype.Service;

/**
 * Sells what is in stock.
 */
@Service
public class Shop {

	private final Stock stock;

	private final ShopProperties properties;

	Shop(Stock stock, ShopProperties properties) {
		this.stock = stock;
		this.properties = properties;
	}

	/**
	 * Sells one piece: one order for an item at a time, over all instances.
	 * @param itemId the item
	 * @return whether there was one left
	 */
	@DistributedLockable(key = "#itemId", waitTime = 60)
	public boolean order(String itemId) {
		return sell(itemId);
	}

	/**
	 * Sells one piece, without asking who else is doing so.
	 * @param itemId the item
	 * @return whether there was one left
	 */
	public boolean orderUnlocked(String itemId) {
		return sell(itemId);
	}

	/**
	 * Reads, thinks and writes: correct only while nobody else does.
	 */
	private boolean sell(String itemId) {
		int left = this.stock.left(itemId);
		if (left <= 0) {
			return false;
		}
		think();
		this.stock.left(itemId, left - 1);
		this.stock.sold(itemId);
		return true;
	}

	@SuppressWarnings("checkstyle:noSleep") // the thought is the work here
	private void think() {
		try {
			Thread.sleep(this.properties.thinkTime().toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while thinking about an order", ex);
		}
	}

}
