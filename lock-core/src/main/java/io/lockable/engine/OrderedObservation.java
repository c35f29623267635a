package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLost;

/**
 * All observations of one acquisition, told one thing after the other.
 *
 * <p>
 * What happens to a lock becomes known on several threads: a renewal is answered while
 * the holder releases, and the timer may find a lease lost before the thread that got it
 * has said so. Whoever comes tells what is there to tell, and leaves what comes meanwhile
 * to whoever is telling already: so nobody waits. What comes before the outcome is held
 * back until then; renewals are not told after the release, and there is one release.
 *
 * <p>
 * Invariant: who raised {@code untold} from zero is the only one that tells, until it is
 * zero again; it alone touches the other fields.
 */
final class OrderedObservation implements LockObservation {

	private final List<LockObservation> observations;

	private final Queue<Event> events = new ConcurrentLinkedQueue<>();

	private final AtomicInteger untold = new AtomicInteger();

	private final List<Event> early = new ArrayList<>(0);

	private boolean decided;

	private boolean released;

	OrderedObservation(List<LockObservation> observations) {
		this.observations = List.copyOf(observations);
	}

	@Override
	public void acquired(Lease lease) {
		add(Kind.OUTCOME, (observation) -> observation.acquired(lease));
	}

	@Override
	public void refused() {
		add(Kind.OUTCOME, LockObservation::refused);
	}

	@Override
	public void timedOut() {
		add(Kind.OUTCOME, LockObservation::timedOut);
	}

	@Override
	public void cancelled() {
		add(Kind.OUTCOME, LockObservation::cancelled);
	}

	@Override
	public void failed(LockException failure) {
		add(Kind.OUTCOME, (observation) -> observation.failed(failure));
	}

	@Override
	public void renewed(Duration lag) {
		add(Kind.RENEWAL, (observation) -> observation.renewed(lag));
	}

	@Override
	public void renewalFailed(Throwable failure) {
		add(Kind.RENEWAL, (observation) -> observation.renewalFailed(failure));
	}

	@Override
	public void lost(LockLost event) {
		add(Kind.LOSS, (observation) -> observation.lost(event));
	}

	@Override
	public void released(boolean ours) {
		add(Kind.RELEASE, (observation) -> observation.released(ours));
	}

	@Override
	public void releaseFailed(Throwable failure) {
		add(Kind.RELEASE, (observation) -> observation.releaseFailed(failure));
	}

	private void add(Kind kind, Consumer<LockObservation> call) {
		this.events.add(new Event(kind, call));
		if (this.untold.getAndIncrement() > 0) {
			return;
		}
		do {
			Event event = this.events.remove();
			if (event.kind() != Kind.OUTCOME && !this.decided) {
				this.early.add(event);
				continue;
			}
			tell(event);
			if (!this.decided) {
				this.decided = true;
				this.early.forEach(this::tell);
				this.early.clear();
			}
		}
		while (this.untold.decrementAndGet() > 0);
	}

	private void tell(Event event) {
		boolean late = this.released && event.kind() != Kind.LOSS;
		if (late) {
			return;
		}
		this.released = event.kind() == Kind.RELEASE || this.released;
		Observers.tell(this.observations, event.call());
	}

	private enum Kind {

		OUTCOME, RENEWAL, LOSS, RELEASE

	}

	/**
	 * Something to tell.
	 *
	 * @param kind what kind of thing
	 * @param call tells one observation
	 */
	private record Event(Kind kind, Consumer<LockObservation> call) {

	}

}
