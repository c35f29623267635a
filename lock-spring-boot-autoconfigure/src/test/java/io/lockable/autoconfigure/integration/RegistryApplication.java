package io.lockable.autoconfigure.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * What {@link SpringIntegrationSixTests} runs on a class path of its own.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, LockRegistryAutoConfiguration.class })
@Import(RegistryApplication.Registries.class)
public class RegistryApplication {

	/**
	 * Starts the application and uses its registry.
	 * @return what became of that
	 * @throws Exception if it fails
	 */
	public static String locks() throws Exception {
		try (ConfigurableApplicationContext context = start()) {
			List<String> done = new ArrayList<>();
			Registries registries = context.getBean(Registries.class);
			Lock lock = registries.registry().obtain("42");
			done.add(lock.toString());
			boolean locked = lock.tryLock(1, TimeUnit.SECONDS);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			done.add((locked && locks.get("disLock:integration:42").isHeldByCurrentThread()) ? "locked" : "not locked");
			registries.renewable().renewLock("42");
			registries.expirable().expireUnusedOlderThan(0);
			done.add("renewed");
			LockRegistry<?> registry = registries.registry();
			done.add(registry.<String, RuntimeException>executeLocked("42", () -> "executed"));
			lock.unlock();
			registry.<RuntimeException>executeLocked("42", Duration.ofSeconds(1),
					() -> done.add((locks.get("disLock:integration:42").holdCount() == 1) ? "free" : "not free"));
			return String.join(", ", done);
		}
	}

	/**
	 * Starts the application and lets it elect a leader.
	 * @return who is leader
	 * @throws Exception if it fails
	 */
	public static String elects() throws Exception {
		try (ConfigurableApplicationContext context = start()) {
			CompletableFuture<String> granted = new CompletableFuture<>();
			LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
					context.getBean(Registries.class).registry(), new DefaultCandidate("leader", "role") {

						@Override
						public void onGranted(Context candidate) {
							granted.complete(getId());
						}

					});
			initiator.setApplicationEventPublisher((event) -> {
			});
			initiator.start();
			String leader = granted.get(30, TimeUnit.SECONDS);
			initiator.stop();
			return leader;
		}
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(RegistryApplication.class).web(WebApplicationType.NONE)
			.properties("distributed-lock.store=memory", "spring.main.banner-mode=off")
			.run();
	}

	/**
	 * Where an application has its registry injected. Raw, as it is compiled there.
	 *
	 * @param registry the registry
	 * @param renewable the same
	 * @param expirable the same
	 */
	@SuppressWarnings("rawtypes")
	public record Registries(LockRegistry registry, RenewableLockRegistry renewable, ExpirableLockRegistry expirable) {

	}

}
