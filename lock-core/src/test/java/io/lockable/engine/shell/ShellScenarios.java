package io.lockable.engine.shell;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * Concurrent actions of two threads on one key. The result of a scenario contains the
 * outcome of both requests and the state of the instance. Any result that is not listed
 * is a failure.
 */
public final class ShellScenarios {

	private static final String SERVED = "acquired released";

	private static final String SOUND = ", " + StressedInstance.SOUND;

	private static final String BOTH_SERVED = SERVED + ", " + SERVED + SOUND;

	private ShellScenarios() {
	}

	private static void account(LLL_Result result, StressedInstance instance, StressedRequest first,
			StressedRequest second) {
		result.r3 = instance.finish();
		result.r1 = first.account();
		result.r2 = second.account();
	}

	/**
	 * Two requests enter, and each answers a command.
	 */
	@JCStressTest
	@State
	@Outcome(id = BOTH_SERVED, expect = Expect.ACCEPTABLE, desc = "Each was served alone.")
	public static class TwoRequests {

		private final StressedInstance instance = new StressedInstance();

		private final StressedRequest first = StressedRequest.brief(this.instance, "first");

		private final StressedRequest second = StressedRequest.brief(this.instance, "second");

		@Actor
		public void first() {
			this.first.enter();
			this.instance.store().answerOne();
		}

		@Actor
		public void second() {
			this.second.enter();
			this.instance.store().answerOne();
		}

		@Arbiter
		public void finish(LLL_Result result) {
			account(result, this.instance, this.first, this.second);
		}

	}

	/**
	 * A request is cancelled while the previous one is granted the lock and passes it on.
	 */
	@JCStressTest
	@State
	@Outcome(id = BOTH_SERVED, expect = Expect.ACCEPTABLE, desc = "The grant was first.")
	@Outcome(id = SERVED + ", refused" + SOUND, expect = Expect.ACCEPTABLE, desc = "The request was given up.")
	public static class GiveUpAndGrant {

		private final StressedInstance instance = new StressedInstance();

		private final StressedRequest first = StressedRequest.brief(this.instance, "first");

		private final StressedRequest second = StressedRequest.brief(this.instance, "second");

		public GiveUpAndGrant() {
			this.first.enter();
			this.second.enter();
		}

		@Actor
		public void giveUp() {
			this.second.giveUp();
		}

		@Actor
		public void grant() {
			this.instance.store().answerAll();
		}

		@Arbiter
		public void finish(LLL_Result result) {
			account(result, this.instance, this.first, this.second);
		}

	}

	/**
	 * A request enters while the only other one is served and its key retires.
	 */
	@JCStressTest
	@State
	@Outcome(id = BOTH_SERVED, expect = Expect.ACCEPTABLE, desc = "Both were served.")
	public static class RequestAndRetirement {

		private final StressedInstance instance = new StressedInstance();

		private final StressedRequest first = StressedRequest.brief(this.instance, "first");

		private final StressedRequest second = StressedRequest.brief(this.instance, "second");

		public RequestAndRetirement() {
			this.first.enter();
		}

		@Actor
		public void retire() {
			this.instance.store().answerAll();
		}

		@Actor
		public void enter() {
			this.second.enter();
		}

		@Arbiter
		public void finish(LLL_Result result) {
			account(result, this.instance, this.first, this.second);
		}

	}

	/**
	 * A lease is released when its deadline passes. Another request enters afterwards.
	 */
	@JCStressTest
	@State
	@Outcome(id = BOTH_SERVED, expect = Expect.ACCEPTABLE, desc = "The release was first.")
	@Outcome(id = "acquired lost released-late, " + SERVED + SOUND, expect = Expect.ACCEPTABLE,
			desc = "The deadline was first.")
	public static class ReleaseAndDeadline {

		private final StressedInstance instance = new StressedInstance();

		private final StressedRequest first = StressedRequest.holding(this.instance, "first");

		private final StressedRequest second = StressedRequest.brief(this.instance, "second");

		@Actor
		public void release() {
			this.first.release();
			this.instance.store().answerAll();
		}

		@Actor
		public void pass() {
			this.instance.pass(StressedInstance.LEASE);
		}

		@Arbiter
		public void finish(LLL_Result result) {
			this.second.enter();
			account(result, this.instance, this.first, this.second);
		}

	}

	/**
	 * A lease is released while another request enters.
	 */
	@JCStressTest
	@State
	@Outcome(id = BOTH_SERVED, expect = Expect.ACCEPTABLE, desc = "Both were served.")
	public static class ReleaseAndRequest {

		private final StressedInstance instance = new StressedInstance();

		private final StressedRequest first = StressedRequest.holding(this.instance, "first");

		private final StressedRequest second = StressedRequest.brief(this.instance, "second");

		@Actor
		public void release() {
			this.first.release();
			this.instance.store().answerOne();
		}

		@Actor
		public void enter() {
			this.second.enter();
			this.instance.store().answerOne();
		}

		@Arbiter
		public void finish(LLL_Result result) {
			account(result, this.instance, this.first, this.second);
		}

	}

	/**
	 * A lease is released while another thread waits until the instance is idle, as a
	 * shutdown does.
	 */
	@JCStressTest
	@State
	@Outcome(id = BOTH_SERVED, expect = Expect.ACCEPTABLE, desc = "The lock was free as soon as the instance was idle.")
	public static class ReleaseAndIdleness {

		private final StressedInstance instance = new StressedInstance();

		private final StressedRequest first = StressedRequest.holding(this.instance, "first");

		private final StressedRequest second = StressedRequest.brief(this.instance, "second");

		private boolean free;

		@Actor
		public void release() {
			this.first.release();
			this.instance.store().answerAll();
		}

		@Actor
		public void await() {
			while (!this.instance.isIdle()) {
				Thread.onSpinWait();
			}
			this.free = this.instance.isFree();
		}

		@Arbiter
		public void finish(LLL_Result result) {
			this.second.enter();
			account(result, this.instance, this.first, this.second);
			if (!this.free) {
				result.r3 = "idle before the lock was free";
			}
		}

	}

	/**
	 * A lease is extended while it is released and handed to the next request.
	 */
	@JCStressTest
	@State
	@Outcome(id = BOTH_SERVED, expect = Expect.ACCEPTABLE, desc = "The extended lease is over.")
	public static class ExtensionAndHandOff {

		private final StressedInstance instance = new StressedInstance();

		private final StressedRequest first = StressedRequest.holding(this.instance, "first");

		private final StressedRequest second = StressedRequest.brief(this.instance, "second");

		public ExtensionAndHandOff() {
			this.second.enter();
		}

		@Actor
		public void extend() {
			this.first.extend();
			this.instance.store().answerOne();
		}

		@Actor
		public void release() {
			this.first.release();
			this.instance.store().answerOne();
		}

		@Arbiter
		public void finish(LLL_Result result) {
			account(result, this.instance, this.first, this.second);
		}

	}

}
