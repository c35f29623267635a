package io.lockable.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.Granted;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LeaseRequest;
import io.lockable.store.LockStore;
import io.lockable.store.StoredLock;
import io.lockable.test.LockFaults.Command;
import org.jspecify.annotations.Nullable;

/**
 * A store with commands that {@link LockFaults} may fail. It records the owners from the
 * answers, before it passes the answers on.
 */
class FaultyLockStore implements LockStore {

	private final LockStore delegate;

	private final LockFaults faults;

	private final Map<String, Set<String>> owners = new ConcurrentHashMap<>();

	FaultyLockStore(LockStore delegate, LockFaults faults) {
		this.delegate = delegate;
		this.faults = faults;
	}

	LockStore delegate() {
		return this.delegate;
	}

	List<String> ownersOf(String key) {
		return List.copyOf(this.owners.getOrDefault(key, Set.of()));
	}

	final void entered(String key, String owner) {
		this.owners.compute(key, (name, known) -> {
			Set<String> all = (known != null) ? known : ConcurrentHashMap.newKeySet();
			all.add(owner);
			return all;
		});
	}

	final void left(String key, String owner) {
		this.owners.computeIfPresent(key, (name, known) -> {
			known.remove(owner);
			return known.isEmpty() ? null : known;
		});
	}

	final <T> CompletionStage<T> send(Command command, String key, Supplier<CompletionStage<T>> way) {
		LockStoreException failure = this.faults.failureOf(command, key);
		return (failure != null) ? CompletableFuture.failedFuture(failure) : way.get();
	}

	final CompletionStage<Acquisition> take(String key, String owner, Supplier<CompletionStage<Acquisition>> way) {
		return send(Command.ACQUIRE, key, way).thenApply((answer) -> {
			if (answer instanceof Granted) {
				entered(key, owner);
			}
			return answer;
		});
	}

	@Override
	public CompletionStage<?> checkPermissions(String key) {
		return this.delegate.checkPermissions(key);
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return take(key, owner, () -> this.delegate.acquire(key, owner, lease));
	}

	@Override
	public boolean canAcquireAll(Collection<String> keys) {
		return this.delegate.canAcquireAll(keys);
	}

	@Override
	public CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		String keys = String.join(", ", requests.stream().map(LeaseRequest::key).toList());
		return send(Command.ACQUIRE, keys, () -> this.delegate.acquireAll(requests)).thenApply((answers) -> {
			for (LeaseRequest request : requests) {
				if (answers.get(request.key()) instanceof Granted) {
					entered(request.key(), request.owner());
				}
			}
			return answers;
		});
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return send(Command.RELEASE, key, () -> this.delegate.release(key, owner)).thenApply((held) -> {
			left(key, owner);
			return held;
		});
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return send(Command.EXTEND, key, () -> this.delegate.extend(key, owner, lease));
	}

	@Override
	public List<CompletionStage<Boolean>> extendAll(List<LeaseRequest> requests) {
		List<LeaseRequest> sent = new ArrayList<>();
		List<@Nullable LockStoreException> failures = new ArrayList<>();
		for (LeaseRequest request : requests) {
			LockStoreException failure = this.faults.failureOf(Command.EXTEND, request.key());
			failures.add(failure);
			if (failure == null) {
				sent.add(request);
			}
		}
		Iterator<CompletionStage<Boolean>> answers = this.delegate.extendAll(sent).iterator();
		return failures.stream()
			.map((failure) -> (failure != null) ? CompletableFuture.<Boolean>failedStage(failure) : answers.next())
			.toList();
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return send(Command.RELEASE, key, () -> this.delegate.keep(key, owner, rest));
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return send(Command.LOOK, key, () -> this.delegate.isLocked(key));
	}

	/**
	 * Looks up the holders of a lock, for subclasses that implement
	 * {@link InspectableLockStore}.
	 * @param key the full name of the lock
	 * @return the lock
	 */
	final CompletionStage<StoredLock> inspect(String key) {
		return send(Command.LOOK, key, () -> ((InspectableLockStore) this.delegate).look(key));
	}

	@Override
	public void checkKey(String key) {
		this.delegate.checkKey(key);
	}

	@Override
	public @Nullable Object server(String key) {
		return this.delegate.server(key);
	}

	@Override
	public CompletionStage<?> connect(String key) {
		return this.delegate.connect(key);
	}

	@Override
	public Duration connectTimeout() {
		return this.delegate.connectTimeout();
	}

	@Override
	public boolean isBlocking() {
		return this.delegate.isBlocking();
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	/**
	 * The variant that reports holders, as its delegate does.
	 */
	static final class Inspectable extends FaultyLockStore implements InspectableLockStore {

		Inspectable(LockStore delegate, LockFaults faults) {
			super(delegate, faults);
		}

		@Override
		public CompletionStage<StoredLock> look(String key) {
			return inspect(key);
		}

	}

}
