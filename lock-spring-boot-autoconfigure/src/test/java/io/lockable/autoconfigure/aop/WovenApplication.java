package io.lockable.autoconfigure.aop;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.spring.annotation.ScheduledLock;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.aspectj.TransactionAspect;

/**
 * An application for the AspectJ agent. It prints the number of holds of the thread.
 */
public final class WovenApplication {

	private final PrintWriter out;

	private WovenApplication(PrintWriter out) {
		this.out = out;
	}

	public static void main(String[] arguments) {
		PrintWriter out = new PrintWriter(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		WovenApplication application = new WovenApplication(out);
		switch (Arrays.toString(arguments)) {
			case "[unconfigured]" -> application.unconfigured();
			case "[disabled]" -> application.disabled();
			case "[closed]" -> application.closed();
			default -> application.locked();
		}
	}

	private void unconfigured() {
		try {
			this.out.println(new Woven(null).held());
		}
		catch (LockException ex) {
			this.out.println(ex.getMessage());
		}
	}

	private void disabled() {
		try (ConfigurableApplicationContext context = start("distributed-lock.enabled=false")) {
			context.getBean(Service.class).run();
			this.out.println("disabled: ran");
		}
	}

	// The aspect belongs to the application that started last, until that closes
	private void closed() {
		ConfigurableApplicationContext first = start("distributed-lock.store=memory");
		ConfigurableApplicationContext second = start("distributed-lock.store=memory");
		first.close();
		this.out.println("another closed: " + new Woven(second.getBean(DistributedLocks.class)).held());
		second.close();
		unconfigured();
	}

	private void locked() {
		try (ConfigurableApplicationContext context = start("distributed-lock.store=memory")) {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Service service = context.getBean(Service.class);
			this.out.println("proxy call: " + service.held());
			this.out.println("self-invocation: " + service.heldOnThis());
			this.out.println("private method: " + service.heldPrivately());
			this.out.println("final method: " + service.heldFinally());
			this.out.println("repeated: " + service.heldTwice());
			this.out.println("meta-annotation: " + service.heldByMeta());
			this.out.println("arguments: " + service.heldWith(1_000_000, "x"));
			this.out.println("stage: " + service.heldByStage().join());
			this.out.println("recursion: " + service.heldRecursively(2));
			this.out.println("declared above: " + context.getBean(Heir.class).held());
			this.out.println("in a transaction: " + new Service(locks).heldAroundTransaction());
			this.out.println(
					"woven by others: " + context.getBean(WovenByOthers.class.getName(), WovenByOthers.class).held());
			this.out.println("not a bean: " + new Woven(locks).held());
			this.out.println("after: " + locks.get("disLock:woven").holdCount());
			try (Lease lease = locks.get("disLock:woven").tryAcquire().orElseThrow()) {
				service.heldPrivately();
				this.out.println("held by other: " + lease.isHeld());
			}
			catch (LockNotAcquiredException ex) {
				this.out.println("held by other: " + ex.getClass().getSimpleName());
			}
		}
	}

	private static ConfigurableApplicationContext start(String property) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "distributed-lock.check.never-locked=warn", property)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
			DistributedLockAopAutoConfiguration.class, DistributedLockDisabledAutoConfiguration.class })
	@Import({ Service.class, Heir.class, WovenByOthers.class })
	static class Application {

	}

	/**
	 * Not a bean: only weaving locks it.
	 */
	public static class Woven {

		private final @Nullable DistributedLocks locks;

		Woven(@Nullable DistributedLocks locks) {
			this.locks = locks;
		}

		public int count(String key) {
			return (this.locks != null) ? this.locks.get("disLock:" + key).holdCount() : -1;
		}

		@DistributedLockable("woven")
		public int held() {
			return count("woven");
		}

	}

	/**
	 * A bean.
	 */
	public static class Service extends Woven {

		Service(@Nullable DistributedLocks locks) {
			super(locks);
		}

		@DistributedLockable("woven")
		public void run() {
		}

		public int heldOnThis() {
			return held();
		}

		public int heldPrivately() {
			return heldInPrivate();
		}

		@DistributedLockable("woven")
		private int heldInPrivate() {
			return count("woven");
		}

		@DistributedLockable("woven")
		public final int heldFinally() {
			return count("woven");
		}

		@DistributedLockable("woven")
		@DistributedLockable("other")
		public String heldTwice() {
			return count("woven") + " " + count("other");
		}

		@DistributedLockable("woven")
		public int heldWith(long number, String text) {
			return count("woven");
		}

		@DistributedLockable("woven")
		@Transactional
		public String heldAroundTransaction() {
			return TransactionAspect.seen();
		}

		@DistributedLockable("woven")
		public CompletableFuture<String> heldByStage() {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLockable("woven")
		public int heldRecursively(int depth) {
			return (depth > 1) ? heldRecursively(depth - 1) : count("woven");
		}

		@ScheduledLock(key = "woven", minHold = "0s")
		public Integer heldByMeta() {
			return count("woven");
		}

	}

	/**
	 * A woven class with an inherited method that is not woven.
	 */
	public static class Heir extends WovenByOthers {

		Heir(@Nullable DistributedLocks locks) {
			super(locks);
		}

		@DistributedLockable("woven")
		public void run() {
		}

	}

}
