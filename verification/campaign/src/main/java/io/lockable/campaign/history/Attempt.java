package io.lockable.campaign.history;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.lockable.campaign.history.Event.Kind;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire a lock, and its outcome.
 *
 * @param id the name of the worker, a hyphen, and a number
 * @param key the lock
 * @param share the share of it
 * @param asked the start of the attempt
 * @param patience its wait time, in nanoseconds
 * @param lease the lease, in nanoseconds
 * @param outcome its outcome
 * @param ended its end, or {@link Long#MAX_VALUE}
 * @param hold the time of the holder; {@code null} unless the lock was acquired
 */
public record Attempt(String id, String key, Share share, long asked, long patience, long lease, Outcome outcome,
		long ended, @Nullable Hold hold) {

	/**
	 * Combines the events of one attempt.
	 * @param events the events, in order
	 * @return the attempt
	 */
	static Attempt of(List<Event> events) {
		Event ask = events.get(0);
		if (ask.kind() != Kind.ASK) {
			throw new IllegalArgumentException("'lines' must have an ASK before " + ask.line());
		}
		Optional<Event> end = last(events, Kind.GOT, Kind.END);
		Outcome outcome = end.map((event) -> event.is(Kind.GOT) ? Outcome.GRANTED : Outcome.valueOf(event.detail(0)))
			.orElse(Outcome.UNKNOWN);
		return new Attempt(ask.id(), ask.detail(0), Share.valueOf(ask.detail(1)), ask.at(), ask.number(2),
				ask.number(3), outcome, end.map(Event::at).orElse(Long.MAX_VALUE),
				(outcome == Outcome.GRANTED) ? hold(end.orElseThrow(), events) : null);
	}

	private static Hold hold(Event got, List<Event> events) {
		Optional<Event> first = events.stream().filter((event) -> event.is(Kind.HELD)).findFirst();
		return new Hold(got.at(), got.number(0), first.map(Event::at).orElse(Long.MAX_VALUE),
				first.map((event) -> event.number(0)).orElse(Long.MAX_VALUE),
				last(events, Kind.HELD).map(Event::at).orElse(Long.MIN_VALUE), time(events, Kind.LOST),
				time(events, Kind.RELEASE), time(events, Kind.RELEASED),
				last(events, Kind.RELEASED).map((event) -> Released.valueOf(event.detail(0))).orElse(Released.NEVER));
	}

	private static long time(List<Event> events, Kind kind) {
		return last(events, kind).map(Event::at).orElse(Long.MAX_VALUE);
	}

	private static Optional<Event> last(List<Event> events, Kind... kinds) {
		return events.stream().filter((event) -> event.is(kinds)).reduce((earlier, later) -> later);
	}

	/**
	 * Returns the time of the holder.
	 * @return the hold of an attempt that acquired the lock
	 */
	public Hold held() {
		return Objects.requireNonNull(this.hold);
	}

	/**
	 * Returns the name of the worker.
	 * @return the part of the id before the hyphen
	 */
	public String worker() {
		return this.id.substring(0, this.id.indexOf('-'));
	}

	/**
	 * Returns whether the attempt waits for other holders.
	 * @return {@code false} for a single try
	 */
	public boolean isWaiting() {
		return this.patience > 0;
	}

	/**
	 * Returns whether the attempt is exclusive.
	 * @return whether it requests the whole lock
	 */
	public boolean isExclusive() {
		return this.share == Share.EXCLUSIVE;
	}

}
