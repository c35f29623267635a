package io.lockable.autoconfigure.aot;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockFailureHandler;
import io.lockable.annotation.LockKeyBuilder;
import io.lockable.spring.annotation.ScheduledLock;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;

/**
 * An application that {@link AheadOfTimeIntegrationTests} processes ahead of time. Its
 * annotations use all features that need reflection.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class AheadOfTimeApplication {

	public static void main(String[] arguments) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(AheadOfTimeApplication.class)
			.web(WebApplicationType.NONE)
			.run(arguments)) {
			calls(context).forEach((call) -> print("call: " + call));
		}
	}

	static void print(String line) {
		new PrintWriter(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8).println(line);
	}

	/**
	 * Makes the calls.
	 * @param context the application
	 * @return the locks that each call observed
	 */
	static List<String> calls(ConfigurableApplicationContext context) {
		Orders orders = context.getBean(Orders.class);
		Order order = new Order(7, new Customer("acme"), List.of(new Item("a"), new Item("b")), new Card("4711"),
				Map.of("eu", new Item("c")));
		List<String> said = new ArrayList<>();
		said.add("property " + orders.property(order));
		said.add("parts " + orders.parts(order));
		said.add("projection " + orders.projection(order));
		said.add("template " + orders.template(order));
		said.add("method " + orders.method(order));
		said.add("sealed " + orders.sealed(order));
		said.add("static " + orders.constant(5));
		said.add("bean " + orders.bean("x"));
		said.add("computed " + orders.computed("x", new Limits()));
		said.add("condition " + orders.condition(order));
		said.add("builder " + orders.builder("x"));
		said.add("composed " + orders.composed(order));
		said.add("scheduled " + orders.scheduled());
		said.add("interface " + context.getBean(Warehouse.class).count("x"));
		context.getBean(DistributedLocks.class).get("disLock:busy").run(() -> {
			said.add("fallback " + elsewhere(orders::ownFallback));
			said.add("bean fallback " + elsewhere(orders::beanFallback));
			said.add("handler " + elsewhere(orders::handled));
		});
		return said;
	}

	private static String elsewhere(Callable<String> call) {
		FutureTask<String> task = new FutureTask<>(call);
		new Thread(task).start();
		try {
			return task.get();
		}
		catch (Exception ex) {
			return ex.toString();
		}
	}

	private static String held() {
		return LockContext.find().map((locks) -> String.join(",", locks.keys())).orElse("none");
	}

	@Bean
	Orders orders() {
		return new Orders();
	}

	@Bean
	Tenant tenant() {
		return new Tenant();
	}

	@Bean
	Later later() {
		return new Later();
	}

	@Bean
	BigWarehouse warehouse() {
		return new BigWarehouse();
	}

	@Bean
	LockKeyBuilder reversed() {
		return (method, target, arguments) -> List
			.of(new StringBuilder("reversed-" + arguments[0]).reverse().toString());
	}

	@Bean
	LockFailureHandler refusal() {
		return (method, target, arguments, failure) -> "refused " + method.getName();
	}

	static class Orders {

		@DistributedLockable(key = "#order.id")
		String property(Order order) {
			return held();
		}

		@DistributedLockable({ "customer", "#order.customer.name" })
		String parts(Order order) {
			return held();
		}

		@DistributedLockable(key = "#order.items.![sku]")
		String projection(Order order) {
			return held();
		}

		@DistributedLockable(key = "${app.region:us}-#{#order.items[0].sku}")
		String template(Order order) {
			return held();
		}

		@DistributedLockable(key = "#order.customer().name().toUpperCase()")
		String method(Order order) {
			return held();
		}

		@DistributedLockable(key = "#order.payment.number")
		String sealed(Order order) {
			return held();
		}

		@DistributedLockable(key = "T(java.math.BigDecimal).valueOf(#cents, 2).toPlainString()")
		String constant(long cents) {
			return held();
		}

		@DistributedLockable(key = "@tenant.id() + #id")
		String bean(String id) {
			return held();
		}

		@DistributedLockable(key = "#id", expireString = "#limits.lease", waitTimeString = "#limits.patience()")
		String computed(String id, Limits limits) {
			return held();
		}

		@DistributedLockable(key = "#order.id", condition = "#order.customer.vip")
		String condition(Order order) {
			return held();
		}

		@DistributedLockable(keyBuilder = "reversed")
		String builder(String id) {
			return held();
		}

		@CustomerLock
		String composed(Order order) {
			return held();
		}

		@ScheduledLock("nightly")
		String scheduled() {
			return held();
		}

		@DistributedLockable(key = "busy", fallback = "instead")
		String ownFallback() {
			return held();
		}

		String instead(LockNotAcquiredException reason) {
			return "instead " + held();
		}

		@DistributedLockable(key = "busy", fallback = "later::instead")
		String beanFallback() {
			return held();
		}

		@DistributedLockable(key = "busy", failureHandler = "refusal")
		String handled() {
			return held();
		}

	}

	/**
	 * Annotated, unlike its implementation.
	 */
	interface Warehouse {

		@DistributedLockable(key = "#shelf")
		String count(String shelf);

	}

	static class BigWarehouse implements Warehouse {

		@Override
		public String count(String shelf) {
			return held();
		}

	}

	public static class Later {

		public String instead() {
			return "later " + held();
		}

	}

	public static class Tenant {

		public String id() {
			return "tenant-";
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLockable(prefix = "composed:")
	@interface CustomerLock {

		@AliasFor(annotation = DistributedLockable.class, attribute = "key")
		String value() default "#order.customer.name";

	}

	public static class Limits {

		public Duration lease = Duration.ofSeconds(20);

		public Duration patience() {
			return Duration.ofSeconds(1);
		}

	}

	public record Order(long id, Customer customer, List<Item> items, Payment payment, Map<String, Item> stock) {

		public BigDecimal total() {
			return BigDecimal.TEN;
		}

	}

	public record Customer(String name) {

		public boolean isVip() {
			return true;
		}

	}

	public record Item(String sku) {

	}

	public sealed interface Payment permits Card {

		String number();

	}

	public record Card(String number) implements Payment {

	}

}
