package io.lockable.campaign.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.History;
import io.lockable.campaign.history.Write;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Checker}, with hand-written histories. The unit of time is a
 * nanosecond. Leases are 100 and waits 1000; an attempt may end 50 late, and a lock may
 * be free for 200.
 */
class CheckerTests {

	private final List<Episode> episodes = new ArrayList<>();

	private final List<Voided> voided = new ArrayList<>();

	private final List<Leftover> leftovers = new ArrayList<>();

	private final List<Write> writes = new ArrayList<>();

	private long hiccup;

	private long recall;

	@Test
	void holdersThatFollowEachOtherAreSound() {
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 50), hold("b-1", "EXCLUSIVE", 2, 50, 90))).isEmpty();
	}

	@Test
	void holdersThatOverlapBreakExclusion() {
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 50), hold("b-1", "EXCLUSIVE", 2, 40, 90))).singleElement()
			.matches((violation) -> violation.promise() == Promise.EXCLUSION)
			.matches((violation) -> violation.ids().equals(List.of("b-1", "a-1")));
	}

	@Test
	void holderThatOverlapsOnlyBetweenItsQuestionsProvesNothing() {
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 50),
				"20 ASK b-1 key EXCLUSIVE 1000 100\n30 GOT b-1 2\n40 HELD b-1 60\n70 RELEASE b-1\n71 RELEASED b-1 OURS"))
			.isEmpty();
	}

	@Test
	void readersBesideReadersAreSoundAndBesideAWriterAreNot() {
		String reader = hold("a-1", "READ", 1, 10, 50);
		assertThat(check(reader, hold("b-1", "READ", 2, 20, 60))).isEmpty();
		assertThat(promises(reader, hold("b-1", "EXCLUSIVE", 2, 20, 60))).containsExactly(Promise.EXCLUSION);
		assertThat(promises(hold("a-1", "EXCLUSIVE", 1, 10, 50), hold("b-1", "READ", 2, 20, 60)))
			.containsExactly(Promise.EXCLUSION);
	}

	@Test
	void moreHoldersThanPermitsBreakExclusion() {
		String one = hold("a-1", "PERMIT", 1, 10, 50);
		String two = hold("b-1", "PERMIT", 2, 20, 60);
		assertThat(check(one, two)).isEmpty();
		assertThat(promises(one, two, hold("c-1", "PERMIT", 3, 30, 70))).containsExactly(Promise.EXCLUSION);
	}

	@Test
	void holdersOfALockThatWasTakenAwayMayOverlapUntilTheLeaseEnds() {
		this.voided.add(new Voided("key", 20, 130));
		String first = hold("a-1", "EXCLUSIVE", 1, 10, 80);
		assertThat(check(first, hold("b-1", "EXCLUSIVE", 2, 40, 90))).isEmpty();
		assertThat(promises(hold("a-1", "EXCLUSIVE", 1, 10, 180), hold("b-1", "EXCLUSIVE", 2, 40, 190)))
			.containsExactly(Promise.EXCLUSION);
		this.voided.set(0, new Voided("another", 20, 130));
		assertThat(promises(first, hold("b-1", "EXCLUSIVE", 2, 40, 90))).containsExactly(Promise.EXCLUSION);
	}

	@Test
	void laterAcquisitionWithASmallerOrTheSameTokenBreaksTheTokenOrder() {
		assertThat(promises(hold("a-1", "EXCLUSIVE", 5, 10, 50), hold("b-1", "EXCLUSIVE", 4, 60, 90)))
			.containsExactly(Promise.TOKEN_ORDER);
		assertThat(promises(hold("a-1", "READ", 5, 10, 50), hold("b-1", "READ", 5, 60, 90)))
			.containsExactly(Promise.TOKEN_ORDER);
	}

	@Test
	void tokensOfSharesThatBeganTogetherHaveNoOrder() {
		assertThat(check(asking("a-1", "READ", 5, 0, 10, 50), asking("b-1", "READ", 4, 0, 20, 60))).isEmpty();
	}

	@Test
	void waiterThatHoldsAfterAnotherHasALargerToken() {
		assertThat(promises(asking("a-1", "EXCLUSIVE", 5, 0, 10, 50), asking("b-1", "EXCLUSIVE", 4, 1, 60, 90)))
			.containsExactly(Promise.TOKEN_ORDER);
	}

	@Test
	void tokensGrowAlsoWhenALockWasTakenAway() {
		this.voided.add(new Voided("key", 20, 130));
		assertThat(promises(hold("a-1", "EXCLUSIVE", 5, 10, 50), hold("b-1", "EXCLUSIVE", 4, 60, 90)))
			.containsExactly(Promise.TOKEN_ORDER);
	}

	@Test
	void instanceThatRetainsALockThatWasTakenAwayHasOldTokensUntilTheLeaseEnds() {
		this.recall = 30;
		this.voided.add(new Voided("key", 20, 130));
		assertThat(check(hold("a-1", "EXCLUSIVE", 5, 40, 50), hold("b-1", "EXCLUSIVE", 4, 60, 90))).isEmpty();
		assertThat(promises(hold("a-1", "EXCLUSIVE", 5, 40, 50), hold("b-1", "EXCLUSIVE", 4, 160, 190)))
			.containsExactly(Promise.TOKEN_ORDER);
	}

	@Test
	void acceptedWriteWithAStaleTokenBreaksFencing() {
		this.writes.add(new Write(10, "key", "a-1", 5, true));
		this.writes.add(new Write(11, "key", "b-1", 6, true));
		this.writes.add(new Write(12, "key", "a-1", 5, false));
		assertThat(check()).isEmpty();
		this.writes.add(new Write(13, "key", "a-1", 5, true));
		assertThat(promises()).containsExactly(Promise.FENCING);
	}

	@Test
	void acceptedWriteWithTheTokenOfAnotherHolderBreaksFencing() {
		this.writes.add(new Write(10, "key", "a-1", 5, true));
		this.writes.add(new Write(11, "key", "a-1", 5, true));
		assertThat(check()).isEmpty();
		this.writes.add(new Write(12, "key", "b-1", 5, true));
		assertThat(promises()).containsExactly(Promise.FENCING);
	}

	@Test
	void attemptThatEndsLongAfterItsWaitBreaksItsDeadline() {
		String late = "0 ASK a-1 key EXCLUSIVE 1000 100\n1100 END a-1 FAILED";
		String holder = hold("b-1", "EXCLUSIVE", 1, 0, 1000);
		assertThat(promises(late, holder)).containsExactly(Promise.DEADLINE);
		assertThat(check("0 ASK a-1 key EXCLUSIVE 1000 100\n1040 END a-1 REFUSED", holder)).isEmpty();
	}

	@Test
	void pauseOfTheWorkerOrTheMachinePutsADeadlineOff() {
		String late = "0 ASK a-1 key EXCLUSIVE 1000 100\n1100 END a-1 FAILED";
		String holder = hold("b-1", "EXCLUSIVE", 1, 0, 1000);
		assertThat(check(late, holder, "300 PAUSE a- 400")).isEmpty();
		assertThat(promises(late, holder, "300 PAUSE b- 400")).containsExactly(Promise.DEADLINE);
		this.hiccup = 10;
		assertThat(check(late, holder)).isEmpty();
	}

	@Test
	void waiterBesideAFreeLockBreaksProgress() {
		String waiter = asking("b-1", "EXCLUSIVE", 2, 20, 400, 450);
		assertThat(promises(hold("a-1", "EXCLUSIVE", 1, 10, 50), waiter)).containsExactly(Promise.PROGRESS);
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 250), waiter)).isEmpty();
	}

	@Test
	void attemptsOneAfterTheOtherWaitBesideAFreeLockTogether() {
		assertThat(
				promises(hold("a-1", "EXCLUSIVE", 1, 10, 50), "60 ASK b-1 key EXCLUSIVE 100 100\n180 END b-1 REFUSED",
						"181 ASK b-2 key EXCLUSIVE 100 100\n300 END b-2 REFUSED"))
			.containsExactly(Promise.PROGRESS);
	}

	@Test
	void tryThatIsRefusedAFreeLockBreaksProgress() {
		this.recall = 30;
		String holder = hold("a-1", "EXCLUSIVE", 1, 10, 50);
		String refused = "100 ASK b-1 key EXCLUSIVE 0 100\n120 END b-1 REFUSED";
		assertThat(promises(holder, refused)).containsExactly(Promise.PROGRESS);
		assertThat(check(holder, refused, "90 ASK c-1 key EXCLUSIVE 10 100\n110 END c-1 REFUSED")).isEmpty();
		assertThat(check(holder, refused, "60 PAUSE a- 75")).isEmpty();
		assertThat(check(holder, "100 ASK b-1 key EXCLUSIVE 0 100\n131 END b-1 REFUSED")).isEmpty();
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 75), refused)).isEmpty();
		this.episodes.add(new Episode(0, 0, 0));
		assertThat(check(holder, refused)).isEmpty();
	}

	@Test
	void lockThatNobodyWantsMayBeFree() {
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 50), hold("b-1", "EXCLUSIVE", 2, 800, 850))).isEmpty();
	}

	@Test
	void waiterMayWaitWhileAFaultLastsAndSettles() {
		this.episodes.add(new Episode(50, 100, 300));
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 50), asking("b-1", "EXCLUSIVE", 2, 20, 400, 450))).isEmpty();
	}

	@Test
	void waiterMayWaitForTheLeaseOfAHolderThatDied() {
		String died = "0 ASK a-1 key EXCLUSIVE 1000 100\n10 GOT a-1 1\n11 HELD a-1 12\n80 HELD a-1 81";
		assertThat(check(died, asking("b-1", "EXCLUSIVE", 2, 20, 350, 400))).isEmpty();
		assertThat(promises(died, asking("b-1", "EXCLUSIVE", 2, 20, 450, 500))).containsExactly(Promise.PROGRESS);
	}

	@Test
	void releaseOfALockThatAnotherHoldsIsNotOurs() {
		String other = hold("b-1", "EXCLUSIVE", 2, 150, 300);
		String late = "0 ASK a-1 key EXCLUSIVE 1000 100\n10 GOT a-1 1\n11 HELD a-1 12\n200 LOST a-1\n210 RELEASE a-1\n";
		assertThat(promises(late + "220 RELEASED a-1 OURS", other)).containsExactly(Promise.OWN_RELEASE);
		assertThat(check(late + "220 RELEASED a-1 NOT_OURS", other)).isEmpty();
	}

	@Test
	void lockThatIsLeftAfterItsLeaseIsStuck() {
		this.leftovers.add(new Leftover("key", 1050));
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 50))).isEmpty();
		this.leftovers.add(new Leftover("key", 1200));
		assertThat(promises(hold("a-1", "EXCLUSIVE", 1, 10, 50))).containsExactly(Promise.LEASE_END);
	}

	@Test
	void lockMayBeLeftUntilTheConsequencesOfAFaultAreOver() {
		this.episodes.add(new Episode(900, 950, 1500));
		this.leftovers.add(new Leftover("key", 1600));
		assertThat(check(hold("a-1", "EXCLUSIVE", 1, 10, 50))).isEmpty();
		this.leftovers.add(new Leftover("key", 1601));
		assertThat(promises(hold("a-1", "EXCLUSIVE", 1, 10, 50))).containsExactly(Promise.LEASE_END);
	}

	private List<Promise> promises(String... histories) {
		return check(histories).stream().map(Violation::promise).toList();
	}

	private List<Violation> check(String... histories) {
		History history = History.parse(Arrays.stream(histories).flatMap(String::lines).toList());
		return Checker.check(history.attempts(), this.writes, new Conditions(2, 1000, 50, (key) -> 200,
				(key) -> this.recall, this.hiccup, this.episodes, this.voided, this.leftovers, history.pauses()));
	}

	/**
	 * Returns a holder that asked just before, and was observed to hold all the time.
	 */
	private static String hold(String id, String share, long token, long from, long until) {
		return asking(id, share, token, from - 2, from, until);
	}

	private static String asking(String id, String share, long token, long asked, long from, long until) {
		return """
				%d ASK %s key %s 1000 100
				%d GOT %2$s %d
				%4$d HELD %2$s %4$d
				%d HELD %2$s %6$d
				%6$d RELEASE %2$s
				%6$d RELEASED %2$s OURS
				""".formatted(asked, id, share, from, token, until);
	}

}
