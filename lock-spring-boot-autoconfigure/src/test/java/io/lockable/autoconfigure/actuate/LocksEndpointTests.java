package io.lockable.autoconfigure.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.autoconfigure.actuate.ForcedReleaseDescriptor.EngineReleaseDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.HeldLockDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.InstanceDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.LockEngineDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.WaitingCallDescriptor;
import io.lockable.autoconfigure.actuate.StoredLockDescriptor.LockHolderDescriptor;
import io.lockable.autoconfigure.actuate.StoredLockDescriptor.LockStateDescriptor;
import io.lockable.engine.LockEngine;
import io.lockable.store.Acquisition;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.StoredLock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LocksEndpoint} and {@link ForcedReleases}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LocksEndpointTests {

	private static final LockOptions OPTIONS = LockOptions.defaults().withName("orders");

	private static final LockOptions PATIENT = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final LockEngine one = LockEngine.builder(this.store)
		.requestId(() -> "checkout-7f3a")
		.shutdownTimeout(Duration.ZERO)
		.build();

	private final LockEngine two = LockEngine.builder(this.store.peer()).shutdownTimeout(Duration.ZERO).build();

	private final LocksEndpoint endpoint = endpoint(Map.of("one", this.one));

	@AfterEach
	void close() {
		this.one.close();
		this.two.close();
	}

	@Test
	void whatIsHeldAndWaitedForIsShown() throws Exception {
		Instant before = Instant.now().minusMillis(1);
		Lease lease = this.one.get("b", OPTIONS).acquire();
		this.one.get("a", OPTIONS).acquire();
		CompletableFuture<Lease> waiting = this.one.get("b", PATIENT).acquireAsync();
		LockEngineDescriptor engine = this.endpoint.locks().engines().get("one");
		assertThat(engine.held()).extracting(HeldLockDescriptor::key).containsExactly("a", "b");
		HeldLockDescriptor held = engine.held().get(1);
		assertThat(held.name()).isEqualTo("orders");
		assertThat(held.owner()).endsWith("…").hasSizeLessThan(lease.owner().length());
		assertThat(held.thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(Instant.parse(held.since())).isBetween(before, Instant.now());
		assertThat(held.remainingMillis()).isBetween(1L, 10_000L);
		assertThat(held.holdCount()).isEqualTo(1);
		assertThat(held.fencingToken()).isEqualTo(lease.fencingToken());
		assertThat(held.renewals()).isZero();
		assertThat(engine.waiting()).singleElement().satisfies((call) -> {
			assertThat(call.key()).isEqualTo("b");
			assertThat(call.name()).isEqualTo("orders");
			assertThat(call.thread()).contains(Thread.currentThread().getName());
			assertThat(Instant.parse(call.since())).isBetween(before, Instant.now());
		});
		waiting.cancel(true);
	}

	@Test
	void ownerOfALockThatMayBeRetainedIsShownAndReleased(CapturedOutput output) {
		String owner = "checkout-7f3a:0123456789abcdef-5@fedcba9876543210";
		this.store.acquire("k", owner, Duration.ofSeconds(60));
		assertThat(this.endpoint.lock("k").engines().get("one").holders()).extracting(LockHolderDescriptor::owner)
			.containsExactly(owner);
		assertThat(this.endpoint.forceRelease("k", "\'jane'").engines().get("one").released()).containsExactly(owner);
		assertThat(output).contains("checkout-7f3a").doesNotContain("0123456789abcdef");
	}

	@Test
	void lockOfAnotherInstanceIsFound() throws Exception {
		Lease lease = this.two.get("k", OPTIONS).acquire();
		LockStateDescriptor lock = this.endpoint.lock("k").engines().get("one");
		assertThat(lock.shared()).isFalse();
		assertThat(lock.error()).isNull();
		LockHolderDescriptor holder = lock.holders().get(0);
		assertThat(holder.owner()).isEqualTo(lease.owner());
		assertThat(holder.remainingMillis()).isBetween(1L, 10_000L);
		assertThat(holder.thread()).as("only known of this instance").isNull();
	}

	@Test
	void locksOfAnotherInstanceAreListedAndItsHolderIsNamed() throws Exception {
		Lease lease = this.two.get("k", OPTIONS).acquire();
		// Instances that have waited receive questions.
		this.one.get("own", OPTIONS).acquire();
		this.two.get("own", OPTIONS.withWaitTime(Duration.ofMillis(1))).tryAcquire(Duration.ofMillis(1));
		LockEngineDescriptor engine = await().until(() -> this.endpoint.locks().engines().get("one"),
				(all) -> !all.others().isEmpty());
		assertThat(engine.silent()).isZero();
		assertThat(engine.others()).singleElement().satisfies((other) -> {
			assertThat(other.complete()).isTrue();
			assertThat(other.held()).singleElement().satisfies((held) -> {
				assertThat(held.key()).isEqualTo("k");
				assertThat(held.owner()).endsWith("…").hasSizeLessThan(lease.owner().length());
			});
		});
		LockHolderDescriptor holder = this.endpoint.lock("k").engines().get("one").holders().get(0);
		assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(holder.name()).isEqualTo("orders");
		assertThat(LocksTable.of(this.endpoint.locks()).lines())
			.anySatisfy((line) -> assertThat(line).startsWith("KEY  "))
			.anySatisfy((line) -> assertThat(line).startsWith("k    orders"))
			.anySatisfy((line) -> assertThat(line).startsWith("one: 2 instances"));
	}

	@Test
	void allLocksHaveSeveralRepresentations() throws Exception {
		this.one.get("k", OPTIONS).acquire();
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint);
		assertThat(web.locks(LocksFormat.HTML).getBody()).asString().startsWith("<!DOCTYPE html>");
		assertThat(web.locks(LocksFormat.TEXT).getBody()).asString().contains("k    orders");
		assertThat(web.locks(LocksFormat.TEXT).getContentType()).hasToString("text/plain;charset=UTF-8");
		assertThat(web.locks(LocksFormat.JSON).getBody()).isInstanceOf(LocksDescriptor.class);
		assertThat(new LocksEndpointJmxExtension(this.endpoint).locks().engines()).containsOnlyKeys("one");
		assertThat(LocksFormat.values()).filteredOn(LocksFormat::isDefault).containsExactly(LocksFormat.JSON_3);
	}

	@Test
	void tablesNameWhatIsMissing() {
		InstanceDescriptor other = new InstanceDescriptor("app-1", false, List.of(),
				List.of(new WaitingCallDescriptor("k", "orders", "main", "now")));
		assertThat(LocksTable.of(locks(other, 2, null)))
			.startsWith("one: 2 instances, no answer from 2, incomplete%n".formatted())
			.contains("Waiting calls: 1");
		assertThat(LocksTable.of(locks(other, 0, "away")))
			.startsWith("one: 2 instances, other instances unknown: away");
	}

	private static LocksDescriptor locks(InstanceDescriptor other, long silent, String error) {
		return new LocksDescriptor(Map.of("one", new LockEngineDescriptor("app-0", true, List.of(), List.of(),
				List.of(), List.of(other), silent, error)));
	}

	@Test
	void sharedLockIsFoundWithAllItsHolders() throws Exception {
		Lease first = this.one.getReadWriteLock("k", OPTIONS).readLock().acquire();
		Lease second = this.two.getReadWriteLock("k", OPTIONS).readLock().acquire();
		LockStateDescriptor lock = this.endpoint.lock("k").engines().get("one");
		assertThat(lock.shared()).isTrue();
		assertThat(lock.holders()).extracting(LockHolderDescriptor::owner)
			.containsExactlyInAnyOrder(first.owner(), second.owner());
	}

	@Test
	void storeThatFailsOrCannotTellIsAnError() {
		try (LockEngine failing = LockEngine.builder(new FailingStore()).build();
				LockEngine plain = LockEngine.builder(new PlainStore()).build()) {
			LocksEndpoint both = endpoint(Map.of("failing", failing, "plain", plain));
			StoredLockDescriptor lock = both.lock("k");
			assertThat(lock.isHeld()).isFalse();
			assertThat(lock.isUnknown()).isTrue();
			assertThat(lock.engines().get("failing").error()).contains("The server is away");
			assertThat(lock.engines().get("plain").error()).contains("InspectableLockStore");
			ForcedReleaseDescriptor forced = both.forceRelease("k", "\'jane'");
			assertThat(forced.isUnknown()).isTrue();
			assertThat(forced.engines().get("failing").error()).contains("The server is away");
			assertThat(forced.engines().get("plain").error()).contains("InspectableLockStore");
			assertThat(new LocksEndpointWebExtension(both).lock(new String[] { "k" }, null).getStatus()).isEqualTo(503);
			assertThat(
					new LocksEndpointWebExtension(both).forceRelease(SecurityContext.NONE, new String[] { "k" }, null)
						.getStatus())
				.isEqualTo(503);
			assertThat(both.forcedReleases()).isZero();
		}
	}

	@Test
	void keyCannotForgeALineOfTheLog(CapturedOutput output) throws Exception {
		try (Lease lease = this.one.get("k\r\nWARN forged", OPTIONS).acquire()) {
			this.endpoint.forceRelease("k\r\nWARN forged", "\'ja\nne'");
			assertThat(lease.isHeld()).isFalse();
		}
		assertThat(output).contains(
				"Lock 'k\\u000d\\u000aWARN forged' of bean 'one' was released by force at the request of 'ja\\u000ane'");
	}

	@Test
	void forcedReleaseFreesTheLockLogsAndCounts(CapturedOutput output) throws Exception {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("endpoint", this.endpoint));
		new LocksEndpointAutoConfiguration.MeterConfiguration()
			.forcedReleaseMeters(beans.getBeanProvider(LocksEndpoint.class))
			.bindTo(registry);
		assertThat(registry.get("lock.forced.releases").functionCounter().count()).isZero();
		Lease lease = this.one.get("k", OPTIONS).acquire();
		ForcedReleaseDescriptor forced = this.endpoint.forceRelease("k", "\'jane'");
		assertThat(forced.engines()).containsEntry("one",
				new EngineReleaseDescriptor(List.of(lease.owner()), List.of(), null));
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.two.get("k", OPTIONS).tryAcquire()).isPresent();
		assertThat(registry.get("lock.forced.releases").functionCounter().count()).isEqualTo(1);
		assertThat(output).contains("WARN")
			.contains("Lock 'k' of bean 'one' was released by force at the request of 'jane' over Actuator")
			.contains("Its holders: [checkout-7f3a]")
			.doesNotContain(lease.owner());
	}

	@Test
	void valueThatIsNoOwnerTokenIsNotShownWhole(CapturedOutput output) {
		for (String value : List.of("123456", "{\"user\":\"alice\",\"card\":\"4711\"}", "user:alice:4711",
				"a:0123456789abcdef-", "")) {
			this.store.acquire("otp:alice", value, Duration.ofSeconds(60));
			String shown = this.endpoint.lock("otp:alice").engines().get("one").holders().get(0).owner();
			assertThat(shown).endsWith("…").hasSizeLessThanOrEqualTo(value.length() / 4 + 1).hasSizeLessThan(10);
			EngineReleaseDescriptor forced = this.endpoint.forceRelease("otp:alice", "\'jane'").engines().get("one");
			assertThat(forced.released()).containsExactly(shown);
			assertThat(this.one.look("otp:alice").isHeld()).isFalse();
		}
		assertThat(output).doesNotContain("4711").doesNotContain("123456").doesNotContain("alice\"");
	}

	@Test
	void holderIsToldAtOnceWhereAnotherEngineSharesItsStore() throws Exception {
		Lease held = this.two.get("k", OPTIONS).acquire();
		ForcedReleaseDescriptor forced = endpoint(Map.of("one", this.one, "two", this.two)).forceRelease("k",
				"\'jane'");
		assertThat(forced.engines().get("two").released()).containsExactly(held.owner());
		assertThat(forced.engines().get("one").gone()).containsExactly(held.owner());
		assertThat(held.isHeld()).isFalse();
		assertThat(held.lost().toCompletableFuture().get(10, TimeUnit.SECONDS).reason())
			.isEqualTo(LockLost.Reason.FORCED);
	}

	@Test
	void holderOfWhomNothingIsKnownIsAnErrorBesideThoseReleased() {
		try (LockEngine half = LockEngine.builder(new HalfStore()).build()) {
			LocksEndpoint one = endpoint(Map.of("half", half));
			EngineReleaseDescriptor forced = one.forceRelease("k", "\'jane'").engines().get("half");
			assertThat(forced.released()).containsExactly("a:0123456789abcdef-1");
			assertThat(forced.error()).contains("did not answer for 1 more");
			assertThat(one.forcedReleases()).isEqualTo(1);
		}
	}

	@Test
	void waiterIsNotHitWhereTwoEnginesShareAStore() throws Exception {
		Lease held = this.one.get("k", OPTIONS).acquire();
		CompletableFuture<Lease> next = this.two.get("k", PATIENT).acquireAsync();
		await().until(() -> this.one.look("k").waiting() == 1);
		LocksEndpoint both = endpoint(Map.of("one", this.one, "two", this.two));
		ForcedReleaseDescriptor forced = both.forceRelease("k", "\'jane'");
		assertThat(forced.engines().get("one").released()).containsExactly(held.owner());
		assertThat(forced.engines().get("two").gone()).containsExactly(held.owner());
		Lease lease = next.get();
		assertThat(this.one.look("k").holders()).extracting(StoredLock.Holder::owner).containsExactly(lease.owner());
		assertThat(both.forcedReleases()).isEqualTo(1);
	}

	private LocksEndpoint endpoint(Map<String, LockEngine> engines) {
		return new LocksEndpoint(engines, true);
	}

	/**
	 * A store without inspection.
	 */
	private static class PlainStore implements LockStore {

		@Override
		public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
			return failed();
		}

		@Override
		public CompletionStage<Boolean> release(String key, String owner) {
			return failed();
		}

		@Override
		public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
			return failed();
		}

		@Override
		public CompletionStage<Boolean> isLocked(String key) {
			return failed();
		}

		<T> CompletionStage<T> failed() {
			return CompletableFuture.failedFuture(new LockStoreException("The server is away", null));
		}

	}

	/**
	 * A store with two holders that fails for the second.
	 */
	private static final class HalfStore extends PlainStore implements InspectableLockStore {

		@Override
		public CompletionStage<StoredLock> look(String key) {
			return CompletableFuture
				.completedFuture(new StoredLock(List.of(new StoredLock.Holder("a:0123456789abcdef-1", null),
						new StoredLock.Holder("a:0123456789abcdef-2", null)), true, 0));
		}

		@Override
		public CompletionStage<Boolean> release(String key, String owner) {
			return owner.endsWith("1") ? CompletableFuture.completedFuture(true) : failed();
		}

	}

	/**
	 * A store that fails.
	 */
	private static final class FailingStore extends PlainStore implements InspectableLockStore {

		@Override
		public CompletionStage<StoredLock> look(String key) {
			return failed();
		}

	}

}
