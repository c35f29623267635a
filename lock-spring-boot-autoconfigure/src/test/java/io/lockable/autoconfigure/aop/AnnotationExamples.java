package io.lockable.autoconfigure.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.lockable.DistributedLocks;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.InTransaction;
import io.lockable.annotation.LockFailureHandler;
import io.lockable.annotation.LockKeyBuilder;
import io.lockable.annotation.LockType;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;
import io.lockable.spring.annotation.ScheduledLock;

import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * The examples of {@code docs/annotation.md}, between their tags.
 */
@SuppressWarnings("UnusedMethod")
final class AnnotationExamples {

	private AnnotationExamples() {
	}

	public record Order(String id, String shop, List<Item> items, long total) {

	}

	public record Item(String sku) {

	}

	public record Receipt(String text) {

	}

	public record Deadline(Duration timeout) {

	}

	public static class Keys {

		// tag::first[]
		@DistributedLockable("#order.id")
		public Receipt pay(Order order) {
			return new Receipt("paid " + order.id());
		}
		// end::first[]

		// tag::parts[]
		@DistributedLockable({ "order", "#order.shop", "#order.id" })
		public void pack(Order order) {
		}
		// end::parts[]

		// tag::elements[]
		@DistributedLockable({ "stock", "#order.items.![sku]" })
		public void reserve(Order order) {
		}
		// end::elements[]

		// tag::prefix[]
		@DistributedLockable(key = "#order.id", prefix = "${app.region:eu}:orders:")
		public void ship(Order order) {
		}
		// end::prefix[]

		// tag::condition[]
		@DistributedLockable(key = "#order?.id", condition = "#order != null && #order.total > 100")
		public void check(Order order) {
		}
		// end::condition[]

	}

	public static class Times {

		// tag::expire[]
		@DistributedLockable(key = "import", expire = 30)
		public void importFiles() {
		}

		@DistributedLockable(key = "export", expireString = "${app.export.lease:30s}")
		public void exportFiles() {
		}
		// end::expire[]

		// tag::wait[]
		@DistributedLockable(key = "#order.id", waitTime = 5)
		public void wrap(Order order) {
		}

		@DistributedLockable(key = "#order.id", waitTimeString = "#deadline.timeout")
		public void send(Order order, Deadline deadline) {
		}
		// end::wait[]

		// tag::renew[]
		@DistributedLockable(key = "rebuild", expire = 5, renew = true, maxHold = "10m")
		public void rebuildIndex() {
		}
		// end::renew[]

		// tag::minHold[]
		@DistributedLockable(key = "#shop", minHold = "1m", onFailure = OnFailure.SKIP)
		public void remind(String shop) {
		}
		// end::minHold[]

		// tag::retain[]
		@DistributedLockable(key = "#account", retain = "5s")
		public void post(String account, long amount) {
		}
		// end::retain[]

	}

	public static class Outcomes {

		// tag::onFailure[]
		@DistributedLockable(key = "report", onFailure = OnFailure.SKIP)
		public Optional<Receipt> report() {
			return Optional.of(new Receipt("done"));
		}
		// end::onFailure[]

		// tag::fallback[]
		@DistributedLockable(key = "#order.id", waitTime = 2, fallback = "payLater")
		public Receipt pay(Order order) {
			return new Receipt("paid " + order.id());
		}

		Receipt payLater(Order order, LockNotAcquiredException reason) {
			return new Receipt("queued " + order.id());
		}
		// end::fallback[]

		// tag::onLost[]
		@DistributedLockable(key = "#account", onLost = OnLost.FAIL)
		public void book(String account, long amount) {
		}
		// end::onLost[]

		// tag::inTransaction[]
		@DistributedLockable(key = "#id", inTransaction = InTransaction.RELEASE)
		public void touch(String id) {
		}
		// end::inTransaction[]

		// tag::type[]
		@DistributedLockable(key = "catalog", type = LockType.READ)
		public List<String> titles() {
			return List.of();
		}

		@DistributedLockable(key = "catalog", type = LockType.WRITE)
		public void rebuild() {
		}
		// end::type[]

		// tag::permits[]
		@DistributedLockable(key = "carrier", permits = 5, waitTime = 10)
		public void callCarrier(Order order) {
		}
		// end::permits[]

		// tag::fair[]
		@DistributedLockable(key = "printer", fair = true, waitTime = 60)
		public void print(Receipt receipt) {
		}
		// end::fair[]

		// tag::name[]
		@DistributedLockable(key = "#order.id", name = "payments")
		public void refund(Order order) {
		}
		// end::name[]

	}

	public static class Own {

		// tag::keyBuilder[]
		@Bean
		LockKeyBuilder hashedKeys() {
			return (method, target, arguments) -> List.of(Integer.toHexString(Arrays.hashCode(arguments)));
		}
		// end::keyBuilder[]

		// tag::failureHandler[]
		@Bean
		LockFailureHandler conflict() {
			return (method, target, arguments, failure) -> {
				throw new IllegalStateException(method.getName() + " is busy", failure);
			};
		}
		// end::failureHandler[]

	}

	public static class OwnUse {

		// tag::keyBuilderUse[]
		@DistributedLockable(keyBuilder = "hashedKeys")
		public void store(String text) {
		}
		// end::keyBuilderUse[]

		// tag::failureHandlerUse[]
		@DistributedLockable(key = "#order.id", failureHandler = "conflict")
		public void change(Order order) {
		}
		// end::failureHandlerUse[]

		// tag::locks[]
		@DistributedLockable(key = "#order.id", locks = "distributedLocks")
		public void archive(Order order) {
		}
		// end::locks[]

	}

	public static class Jobs {

		// tag::scheduled[]
		@Scheduled(cron = "0 0 2 * * *")
		@ScheduledLock(key = "nightly-report", minHold = "1m")
		public void report() {
		}
		// end::scheduled[]

	}

	public static class Accounts {

		// tag::repeated[]
		@DistributedLockable({ "account", "#from" })
		@DistributedLockable({ "account", "#to" })
		public void transfer(String from, String to, long amount) {
		}
		// end::repeated[]

	}

	// tag::composed[]
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLockable(prefix = "order:", waitTimeString = "5s", onLost = OnLost.FAIL)
	@interface OrderLock {

		@AliasFor(annotation = DistributedLockable.class, attribute = "key")
		String value() default "#order.id";

	}
	// end::composed[]

	public static class Composed {

		// tag::composedUse[]
		@OrderLock
		public void cancel(Order order) {
		}
		// end::composedUse[]

	}

	// tag::itself[]
	public static class Checkout {

		private final DistributedLocks locks;

		Checkout(DistributedLocks locks) {
			this.locks = locks;
		}

		public void checkout(Order order) throws Exception {
			this.locks.get("disLock:" + order.id()).call(() -> pay(order));
		}

		private Receipt pay(Order order) {
			return new Receipt("paid " + order.id());
		}

	}
	// end::itself[]

}
