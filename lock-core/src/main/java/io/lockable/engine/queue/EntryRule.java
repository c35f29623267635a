package io.lockable.engine.queue;

import java.util.List;

import io.lockable.DurationText;
import io.lockable.LockStoreException;
import io.lockable.engine.queue.Holding.InSync;
import io.lockable.engine.queue.Holding.Leased;
import io.lockable.engine.queue.Holding.TransferFailed;
import io.lockable.engine.queue.Holding.Vacant;

/**
 * The rule for a lock that this instance has and no holder uses: which request enters,
 * whether the server must confirm that first, and when other instances have their turn.
 */
final class EntryRule {

	private final KeySettings settings;

	private final KeyContext context;

	private final AcquiringRules acquiring;

	EntryRule(KeySettings settings, KeyContext context, AcquiringRules acquiring) {
		this.settings = settings;
		this.context = context;
		this.acquiring = acquiring;
	}

	/**
	 * Passes the lock on.
	 * @param state a vacant state
	 * @param now the time
	 * @param effects the effects of the step
	 * @return the next state; vacant if the answer to a transfer comes first
	 */
	KeyState pass(Holding state, long now, Effects effects) {
		Vacant vacant = (Vacant) state.occupant();
		boolean confirmed = vacant.confirmed();
		Holding held = state.with(new Vacant(vacant.keptUntil(), false));
		if (held.line().isEmpty() || vacant.keptUntil() != null) {
			return giveBack(held, now, effects);
		}
		Tenure tenure = held.tenure();
		Request next = held.line().first();
		boolean own = next.owner().equals(tenure.owner());
		boolean entitled = own || this.settings.queueing();
		boolean turnOver = tenure.isTurnOver(now) && !own;
		// Of what another command gave, the server must be asked first
		boolean unconfirmed = this.settings.confirms() && !(confirmed && own);
		boolean valid = !unconfirmed && (confirmed ? tenure.isValid(now) : tenure.isFresh(next.lease(), now));
		if (valid && entitled && !turnOver) {
			return enter(held, next, now, effects);
		}
		if (!held.isInSync()) {
			return held;
		}
		if (turnOver && this.context.isSubscribed()) {
			return yieldTurn(held, next, now, effects);
		}
		if (turnOver || !entitled) {
			return giveBack(held, now, effects);
		}
		if (confirmed && !unconfirmed) {
			effects.fail(next,
					new LockStoreException(
							"The store answered for lock '%s' only after its lease of %s expired: use a longer lease"
								.formatted(this.settings.key(), DurationText.of(next.lease())),
							null));
			return giveBack(held.with(held.line().without(next.owner())), now, effects);
		}
		return transfer(held, next, now, effects);
	}

	private Holding transfer(Holding held, Request next, long now, Effects effects) {
		Holding sent = held.transferring(next.owner(), next.lease(), now);
		effects.add(new Effect.SendTransfer(((Holding.Transferring) sent.sync()).transfer()));
		return sent;
	}

	private Holding enter(Holding held, Request next, long now, Effects effects) {
		boolean own = next.owner().equals(held.tenure().owner());
		// A grant may set a shorter lease; a transfer sets the full one.
		boolean extend = own && held.tenure().lease().compareTo(next.lease()) < 0;
		Effects transfer = new Effects();
		Holding sent = (!own && held.isInSync()) ? transfer(held, next, now, transfer) : held;
		Tenure tenure = sent.tenure();
		effects.add(new Effect.Enter(next, tenure.nextToken(), tenure.deadline(), extend));
		transfer.list().forEach(effects::add);
		Line left = sent.line().without(next.owner());
		effects.refuse(left.matching((request) -> !request.patient()), null);
		return sent.with(tenure.tokenTaken())
			.with(new Leased(next.owner(), next.lease()))
			.with(left.without((request) -> !request.patient()));
	}

	private KeyState giveBack(Holding held, long now, Effects effects) {
		if (held.sync() instanceof TransferFailed failed && this.settings.confirms()) {
			return giveUp(held, failed.transfer(), failed.failure(), now, effects);
		}
		if (!held.isInSync()) {
			// The answer to the transfer, or its failure, comes here again
			return held;
		}
		Tenure tenure = held.tenure();
		effects
			.add(new Effect.GiveBack(tenure.owner(), tenure.longestRest(now), held.keptUntil(), held.releases().all()));
		return new KeyState.Idle(held.line());
	}

	private KeyState yieldTurn(Holding held, Request next, long now, Effects effects) {
		Tenure tenure = held.tenure();
		Ask ask = new Ask(next.owner(), next.lease(), true, now);
		effects.add(new Effect.YieldTurn(tenure.owner(), tenure.longestRest(now), held.releases().all(), ask));
		return this.acquiring.afterYield(held.line(), ask, now);
	}

	// Ends a tenure of which the server may know either owner token. The token of a
	// request that still waits is not abandoned, as the request asks for it again: a
	// late withdrawal would free the lock that it then has.
	KeyState giveUp(Holding held, Transfer transfer, LockStoreException failure, long now, Effects effects) {
		effects.completeReleases(held.releases().all(), false, failure);
		for (String owner : List.of(held.tenure().owner(), transfer.successor())) {
			if (!held.line().has(owner)) {
				boolean old = owner.equals(held.tenure().owner());
				effects.add(new Effect.Abandon(owner, old ? held.tenure().longestRest(now) : transfer.lease(), true,
						held.keptUntil()));
			}
		}
		return new KeyState.Idle(held.line());
	}

	// Sends the owner token of a holder that entered during a transfer.
	Holding follow(Holding held, long now, Effects effects) {
		if (held.occupant() instanceof Leased leased && held.sync() instanceof InSync
				&& !leased.owner().equals(held.tenure().owner())) {
			Holding sent = held.transferring(leased.owner(), leased.lease(), now);
			effects.add(new Effect.SendTransfer(((Holding.Transferring) sent.sync()).transfer()));
			return sent;
		}
		return held;
	}

}
