package io.lockable.benchmark.jmh;

import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Compares an annotated method with a manual acquisition of the same lock, both on the
 * in-memory store. The difference is the cost of the proxy and its key expression.
 */
public class AspectBenchmark extends InProcessBenchmark {

	private static final String PREFIX = "disLock:";

	private final ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
		.web(WebApplicationType.NONE)
		.properties("spring.main.banner-mode=off", "distributed-lock.store=memory")
		.run();

	private final Shop shop = this.context.getBean(Shop.class);

	private final DistributedLocks locks = this.context.getBean(DistributedLocks.class);

	private final Shop unlockedShop = new Shop();

	private final Order order = new Order("42");

	/**
	 * Checks that the annotation works: a shop without its lock would look fast.
	 */
	@Setup
	public void checkLocked() {
		if (!this.shop.isLocked(this.order, this.locks)) {
			throw new IllegalStateException("The annotated method must run with its lock held");
		}
	}

	/**
	 * Closes the application.
	 */
	@TearDown
	public void close() {
		this.context.close();
	}

	/**
	 * Calls the annotated method.
	 * @return its result
	 */
	@Benchmark
	public int annotated() {
		return this.shop.pay(this.order);
	}

	/**
	 * Calls the bare method under the same lock.
	 * @return its result
	 * @throws Exception never
	 */
	@Benchmark
	public int byHand() throws Exception {
		return this.locks.get(PREFIX + this.order.id()).call(() -> this.unlockedShop.pay(this.order));
	}

	/**
	 * The object that is locked.
	 *
	 * @param id the id in the key
	 */
	public record Order(String id) {
	}

	/**
	 * The service.
	 */
	public static class Shop {

		/**
		 * Pays, with the order locked if the annotation is applied.
		 * @param order the order
		 * @return any number
		 */
		@DistributedLockable(key = "#order.id")
		public int pay(Order order) {
			return order.hashCode();
		}

		/**
		 * Returns whether the annotation is applied.
		 * @param order the order
		 * @param locks the locks
		 * @return whether the order is locked
		 */
		@DistributedLockable(key = "#order.id")
		public boolean isLocked(Order order, DistributedLocks locks) {
			return locks.get(PREFIX + order.id()).isHeldByCurrentThread();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
			"com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration" })
	static class Application {

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

}
