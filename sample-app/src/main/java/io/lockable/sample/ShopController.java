package io.lockable.sample;

import java.util.List;

import io.lockable.engine.LockEngine;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The shop on the web. The page of one instance calls the other instances too, which are
 * other origins to a browser.
 */
@RestController
@CrossOrigin(originPatterns = { "http://localhost:[*]", "http://127.0.0.1:[*]" })
class ShopController {

	private static final String ITEM = "mug";

	private final Shop shop;

	private final Stock stock;

	private final Instances instances;

	private final StringRedisTemplate redis;

	private final LockEngine locks;

	ShopController(Shop shop, Stock stock, Instances instances, StringRedisTemplate redis, LockEngine locks) {
		this.shop = shop;
		this.stock = stock;
		this.instances = instances;
		this.redis = redis;
		this.locks = locks;
	}

	@PostMapping("/orders")
	ResponseEntity<Order> order() {
		return answer(this.shop.order(ITEM));
	}

	@PostMapping("/orders/unlocked")
	ResponseEntity<Order> orderUnlocked() {
		return answer(this.shop.orderUnlocked(ITEM));
	}

	@PostMapping("/stock")
	StockView reset(@RequestParam(defaultValue = "50") int items) {
		this.stock.reset(ITEM, items);
		return stock();
	}

	@GetMapping("/stock")
	StockView stock() {
		String holder = this.redis.opsForValue().get("disLock:" + ITEM);
		boolean retained = this.locks.retained().stream().anyMatch((lock) -> lock.owner().equals(holder));
		return new StockView(this.stock.level(ITEM), holder, retained, this.instances.ports());
	}

	private static ResponseEntity<Order> answer(boolean sold) {
		return ResponseEntity.status(sold ? HttpStatus.CREATED : HttpStatus.CONFLICT).body(new Order(ITEM, sold));
	}

	/**
	 * What became of an order.
	 *
	 * @param item the item
	 * @param sold whether there was one left
	 */
	record Order(String item, boolean sold) {

	}

	/**
	 * What the page shows.
	 *
	 * @param stock the stock
	 * @param holder the owner token that holds the lock, or {@code null} if it is free
	 * @param retained whether this instance only retains the lock
	 * @param instances the ports of the running instances
	 */
	record StockView(Stock.Level stock, @Nullable String holder, boolean retained, List<String> instances) {

	}

}
