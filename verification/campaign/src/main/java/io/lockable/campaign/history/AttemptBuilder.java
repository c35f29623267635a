package io.lockable.campaign.history;

/**
 * Combines the events of one attempt.
 */
final class AttemptBuilder {

	private final Event ask;

	private Outcome outcome = Outcome.UNKNOWN;

	private Released released = Released.NEVER;

	private long ended = Long.MAX_VALUE;

	private long token;

	private long first = Long.MAX_VALUE;

	private long from = Long.MAX_VALUE;

	private long until = Long.MIN_VALUE;

	private long lost = Long.MAX_VALUE;

	private long releasing = Long.MAX_VALUE;

	private long releasedAt = Long.MAX_VALUE;

	AttemptBuilder(Event ask) {
		this.ask = ask;
	}

	void add(Event event) {
		switch (event.kind()) {
			case GOT -> {
				this.outcome = Outcome.GRANTED;
				this.ended = event.at();
				this.token = event.number(0);
			}
			case HELD -> {
				this.first = Math.min(this.first, event.at());
				this.from = Math.min(this.from, event.number(0));
				this.until = Math.max(this.until, event.at());
			}
			case LOST -> {
				this.lost = event.at();
			}
			case RELEASE -> {
				this.releasing = event.at();
			}
			case RELEASED -> {
				this.releasedAt = event.at();
				this.released = Released.valueOf(event.detail(0));
			}
			case END -> {
				this.outcome = Outcome.valueOf(event.detail(0));
				this.ended = event.at();
			}
			case ASK, PAUSE -> throw new IllegalArgumentException("'event' must follow an ASK, was " + event.line());
		}
	}

	Attempt build() {
		Hold hold = (this.outcome != Outcome.GRANTED) ? null : new Hold(this.ended, this.token, this.first, this.from,
				this.until, this.lost, this.releasing, this.releasedAt, this.released);
		return new Attempt(this.ask.id(), this.ask.detail(0), Share.valueOf(this.ask.detail(1)), this.ask.at(),
				this.ask.number(2), this.ask.number(3), this.outcome, this.ended, hold);
	}

}
