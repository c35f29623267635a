package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.lockable.engine.machine.InstanceModel.Orphan;
import org.jspecify.annotations.Nullable;

/**
 * The abandoned owner tokens of an instance, as {@code OrphanCleanup} handles them.
 */
final class OrphanModel {

	private final List<Orphan> orphans;

	private final Consumer<Command> sender;

	OrphanModel(InstanceModel before, Consumer<Command> sender) {
		this.orphans = new ArrayList<>(before.orphans());
		this.sender = sender;
	}

	List<Orphan> list() {
		return List.copyOf(this.orphans);
	}

	boolean mayHold() {
		return this.orphans.stream().anyMatch(Orphan::mayHold);
	}

	void abandon(String owner, @Nullable Long keptUntil, boolean mayHold) {
		keep(owner, keptUntil);
		if (mayHold && keptUntil == null) {
			mayHold(owner);
		}
		send(owner);
	}

	// The queue sends a release next.
	// Returns the time for which it keeps the lock.
	long releasing(String owner, @Nullable Long keptUntil) {
		keep(owner, keptUntil);
		Orphan kept = find(owner);
		set(new Orphan(owner, kept.keptUntil(), kept.mayHold(), false, kept.unanswered() + 1, 0));
		return (keptUntil != null) ? Math.max(0, keptUntil) : 0;
	}

	void failedRelease(String owner) {
		Orphan kept = find(owner);
		if (kept.keptUntil() == null) {
			mayHold(owner);
		}
		send(owner);
	}

	void retry() {
		this.orphans.stream().filter(Orphan::isDue).toList().forEach((orphan) -> send(orphan.owner()));
	}

	void ended(String owner, boolean failed) {
		Orphan before = find(owner);
		boolean wanted = before.wanted() || failed;
		set(new Orphan(owner, before.keptUntil(), before.mayHold(), wanted, before.unanswered() - 1,
				wanted ? Shift.TICK : 0));
		if (before.unanswered() > 1 || failed) {
			return;
		}
		if (wanted) {
			send(owner);
			return;
		}
		this.orphans.removeIf((orphan) -> orphan.owner().equals(owner));
	}

	private void keep(String owner, @Nullable Long keptUntil) {
		for (Orphan known : this.orphans) {
			if (known.owner().equals(owner)) {
				set(new Orphan(owner, known.keptUntil(), known.mayHold(), true, known.unanswered(), known.retryAt()));
				return;
			}
		}
		this.orphans.add(new Orphan(owner, keptUntil, false, true, 0, 0));
	}

	private void mayHold(String owner) {
		Orphan kept = find(owner);
		set(new Orphan(owner, kept.keptUntil(), true, kept.wanted(), kept.unanswered(), kept.retryAt()));
	}

	private void send(String owner) {
		Orphan kept = find(owner);
		if (kept.wanted() && kept.unanswered() == 0) {
			set(new Orphan(owner, kept.keptUntil(), kept.mayHold(), false, 1, 0));
			long rest = (kept.keptUntil() != null) ? Math.max(0, kept.keptUntil()) : 0;
			this.sender.accept(new Command.Forget(owner, rest));
		}
	}

	private Orphan find(String owner) {
		return this.orphans.stream()
			.filter((orphan) -> orphan.owner().equals(owner))
			.findFirst()
			.orElseThrow(() -> new Violation("No orphan " + owner));
	}

	private void set(Orphan changed) {
		this.orphans.replaceAll((orphan) -> orphan.owner().equals(changed.owner()) ? changed : orphan);
	}

}
