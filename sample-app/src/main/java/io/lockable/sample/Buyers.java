package io.lockable.sample;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.engine.LockEngine;
import io.lockable.spring.request.RequestId;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * The buyers of one instance. The lab sends an {@link Order} per line to the standard
 * input, and reads a {@link Report} per line from the standard output. The instance ends
 * with its standard input, and so with the lab.
 */
@Component
@Profile("shop")
class Buyers implements ApplicationRunner {

	private final Shop shop;

	private final LockEngine locks;

	private final JsonMapper json;

	private final String instance;

	private final PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
			StandardCharsets.UTF_8);

	private volatile Order order = Order.STOP;

	Buyers(Shop shop, LockEngine locks, JsonMapper json, @Value("${lab.instance}") String instance) {
		this.shop = shop;
		this.locks = locks;
		this.json = json;
		this.instance = instance;
	}

	@Override
	public void run(ApplicationArguments args) throws IOException {
		warmUp();
		report(0, "ready", 0, "");
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = orders.readLine(); line != null; line = orders.readLine()) {
			start(this.json.readValue(line, Order.class));
		}
		System.exit(0);
	}

	/**
	 * Connects and loads classes, so that no instance has a head start.
	 */
	private void warmUp() {
		try {
			this.shop.buy("nothing-for-" + this.instance, (token) -> {
			});
		}
		catch (RuntimeException ex) {
			// On a busy machine, the first call may take longer than the lease. The
			// buyers report an outage of Redis.
		}
	}

	private void start(Order order) {
		if (!order.shelves().isEmpty()) {
			String mover = this.instance + ".mover";
			new Thread(() -> RequestId.run(mover, () -> lockShelves(order.shelves())), "mover").start();
			return;
		}
		this.order = order;
		AtomicInteger active = new AtomicInteger(order.buyers());
		for (int i = 1; i <= order.buyers(); i++) {
			int buyer = i;
			new Thread(() -> {
				// Owner tokens start with the request id.
				try {
					RequestId.run(this.instance + ".buyer-" + buyer, () -> buyAll(buyer, order));
				}
				finally {
					if (active.decrementAndGet() == 0) {
						report(0, "idle", 0, "");
					}
				}
			}, "buyer-" + buyer).start();
		}
	}

	private void buyAll(int buyer, Order order) {
		boolean left = true;
		while (left && this.order.equals(order)) {
			report(buyer, "waiting", 0, "");
			try {
				left = buy(buyer, order);
				report(buyer, left ? "sold" : "sold out", 0, "");
			}
			catch (StaleTokenException ex) {
				report(buyer, "stale", 0, "");
			}
			catch (LockNotAcquiredException ex) {
				report(buyer, "refused", 0, String.valueOf(ex.getMessage()));
			}
			catch (RuntimeException ex) {
				report(buyer, "failed", 0, String.valueOf(ex.getMessage()));
				spend(200);
			}
		}
		report(buyer, "done", 0, "");
	}

	private boolean buy(int buyer, Order order) {
		LongConsumer thought = (token) -> {
			report(buyer, "holding", token, "");
			spend(order.thinkMillis());
			report(buyer, "writing", token, "");
		};
		return order.locked() ? this.shop.buy(Order.ITEM, thought) : this.shop.buyUnlocked(Order.ITEM, thought);
	}

	/**
	 * Requests the second shelf when another instance holds it, so that the calls of all
	 * instances deadlock on a slow machine, too.
	 */
	private void lockShelves(List<String> shelves) {
		String second = shelves.get(1);
		try {
			this.shop.withShelf(shelves.get(0), () -> {
				for (int i = 0; i < 500 && !this.locks.get("disLock:" + second).isLocked(); i++) {
					spend(10);
				}
				this.shop.withShelf(second, () -> {
				});
			});
			report(0, "both", 0, "");
		}
		catch (LockException ex) {
			report(0, "gave up", 0, String.valueOf(ex.getMessage()));
		}
	}

	private static void spend(int millis) {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		long left = end - System.nanoTime();
		while (left > 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(left);
			left = end - System.nanoTime();
		}
	}

	@EventListener
	void onLost(LockLost lost) {
		report(0, "lost", lost.fencingToken(), lost.reason().toString());
	}

	@EventListener
	void onRenewed(LockEvent.Renewed renewed) {
		report(0, "renewed", renewed.fencingToken(), "");
	}

	@EventListener
	void onDeadlock(LockEvent.Deadlocked deadlock) {
		report(0, "deadlock", 0, String.join("\n", deadlock.calls()));
	}

	@Scheduled(fixedRate = 250)
	void reportLocks() {
		report(0, "locks", 0, "%d held · %d waiting · %d retained".formatted(this.locks.holdings().size(),
				this.locks.waiting().size(), this.locks.retained().size()));
	}

	private void report(int buyer, String state, long token, String detail) {
		// One call for each line: lines of several threads stay whole.
		this.output.println(this.json.writeValueAsString(Report.of(this.instance, buyer, state, token, detail)));
	}

}
