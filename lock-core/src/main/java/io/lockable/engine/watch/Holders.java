package io.lockable.engine.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.engine.shell.StoreAccess;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * The holders of locks at one time, of all instances. Each lock is looked up once, and at
 * most {@value #MAX_LOCKS} locks. Thread-safe.
 */
final class Holders {

	private static final int MAX_LOCKS = 100;

	private static final int MAX_HOLDERS = 20;

	private static final Pattern TOKEN = Pattern.compile(".*:([0-9a-f]+)-[0-9]+(@.*)?", Pattern.DOTALL);

	private static final Found NONE = new Found(new StoredLock(List.of(), false, 0), List.of());

	private final StoreAccess store;

	private final LocalLocks locks;

	private final Inquiries inquiries;

	private final Map<String, CompletionStage<Found>> found = new ConcurrentHashMap<>();

	private final AtomicInteger lookups = new AtomicInteger();

	Holders(StoreAccess store, LocalLocks locks, Inquiries inquiries) {
		this.store = store;
		this.locks = locks;
		this.inquiries = inquiries;
	}

	/**
	 * Finds the holders of a lock. A holder of the exclusive lock in this instance needs
	 * no command.
	 * @param key the full name of the lock
	 * @return the holders; none if they are unknown
	 */
	CompletionStage<Found> find(String key) {
		Hold local = this.locks.holder(key, "");
		if (local != null) {
			StoredLock.Holder holder = new StoredLock.Holder(local.info().owner(), local.info().remaining());
			return CompletableFuture
				.completedFuture(new Found(new StoredLock(List.of(holder), false, 0), List.of(local)));
		}
		return this.found.computeIfAbsent(key, (absent) -> (this.lookups.incrementAndGet() > MAX_LOCKS)
				? CompletableFuture.completedFuture(NONE) : inspect(key).exceptionally((failure) -> NONE));
	}

	/**
	 * Looks up a lock in the store, and asks the instances of its holders.
	 * @param key the full name of the lock
	 * @return the holders; fails with the store
	 */
	CompletionStage<Found> inspect(String key) {
		return this.store.lookUp(key).thenCompose((lock) -> {
			List<CompletableFuture<@Nullable Hold>> asked = lock.holders()
				.stream()
				.limit(MAX_HOLDERS)
				.map((holder) -> ask(key, holder.owner()).toCompletableFuture())
				.toList();
			return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply((all) -> {
				List<@Nullable Hold> holds = new ArrayList<>();
				asked.forEach((hold) -> holds.add(hold.getNow(null)));
				return new Found(lock, holds);
			});
		});
	}

	private CompletionStage<@Nullable Hold> ask(String key, String owner) {
		Matcher token = TOKEN.matcher(owner);
		String instance = token.matches() ? token.group(1) : "";
		if (instance.equals(this.store.instance())) {
			return CompletableFuture.<@Nullable Hold>completedFuture(this.locks.holder(key, owner));
		}
		if (token.matches() && this.store.isMessaging()) {
			return this.inquiries.ask(key, owner, instance);
		}
		return CompletableFuture.<@Nullable Hold>completedFuture(null);
	}

	/**
	 * The holders of a lock.
	 *
	 * @param lock the lock in the store
	 * @param holds the answers of the instances, in the order of the holders;
	 * {@code null} without an answer
	 */
	record Found(StoredLock lock, List<@Nullable Hold> holds) {

		List<Hold> known() {
			return this.holds.stream().filter(Objects::nonNull).map(Objects::requireNonNull).toList();
		}

		/**
		 * Describes the holders for a message.
		 * @return the text, or {@code null} without a holder
		 */
		@Nullable String describe() {
			List<StoredLock.Holder> holders = this.lock.holders();
			if (holders.isEmpty()) {
				return null;
			}
			Hold hold = this.holds.isEmpty() ? null : this.holds.get(0);
			String first = (hold != null) ? Describe.holder(hold.info()) : Describe.silent(holders.get(0));
			return (holders.size() == 1) ? first : first + " and %d more".formatted(holders.size() - 1);
		}

	}

}
