package io.lockable.architecture;

import java.io.IOException;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The models of {@code docs/protocol} keep their invariants, and break them with a
 * planted bug or beyond a known limit. {@code docs/protocol/README.md} explains each
 * configuration.
 */
class ProtocolTests {

	private static final Logger log = LoggerFactory.getLogger(ProtocolTests.class);

	private static final Protocol REDLOCK = Protocol.of("Redlock");

	private static final Protocol EXTENSION = REDLOCK.with("RedlockExtension", "Lease = 3", "MaxTime = 3",
			"MaxAsks = 2", "MaxExtensions = 1", "Ahead = 0");

	private static final Protocol RESTART = REDLOCK.with("RedlockRestart", "MaxTime = 2", "MaxAsks = 2",
			"MaxRestarts = 1", "Pace = 10", "Ahead = 0", "Slow = {m1}");

	private static final Protocol RESTORE = REDLOCK.with("RedlockRestore", "Lease = 3", "MaxTime = 2", "MaxAsks = 2",
			"MaxExtensions = 1", "MaxRestarts = 1", "Quarantine = 3", "Pace = 10", "Ahead = 0", "Slow = {m1}",
			"Early = {\"extend\", \"restore\", \"release\"}", "LateKinds = {\"restore\", \"release\"}");

	private static final Protocol LATE_RESTORE = RESTORE.with("RedlockLateRestore", "Ordered = FALSE", "Pace = 0",
			"MaxLate = 2", "LateKinds = {\"extend\", \"restore\", \"release\"}");

	private static final Protocol RELOOK = REDLOCK.with("RedlockRelook", "MaxTime = 0", "MaxAsks = 4", "MaxLate = 2",
			"Ahead = 0", "Slow = {m1, m2}", "LateKinds = {\"acquire\", \"release\"}");

	private static final Protocol LOST_CONNECTION = RELOOK.with("RedlockLostConnection", "Ordered = FALSE",
			"INVARIANTS Exclusion TokensGrow Continuity");

	private static final Protocol ALL = Protocol.of("AcknowledgedGrants").with("AcknowledgedByAll");

	private static final Protocol ALL_EXTENSION = ALL.with("AcknowledgedExtension", "MaxAsks = 2", "MaxExtensions = 1",
			"MaxLate = 1");

	private static final Protocol ONE = ALL.with("AcknowledgedByOne", "Needed = 1");

	private static final Protocol ONE_ELECTED = ONE.with("AcknowledgedByElected", "Elected = \"has\"",
			"INVARIANTS Exclusion TokensGrow");

	private static final Protocol ONE_MOST_DATA = ONE.with("AcknowledgedByMostData", "Elected = \"most\"",
			"MasterStaysUp = FALSE");

	private static final Protocol ONE_OF_ONE = ONE.with("AcknowledgedByOneOfOne", "Servers = {s1, s2}");

	@ParameterizedTest
	@MethodSource
	void protocolKeepsItsInvariants(Protocol protocol) throws IOException, InterruptedException {
		String output = check(protocol);
		assertThat(output).contains("Model checking completed. No error has been found.");
	}

	static Stream<Protocol> protocolKeepsItsInvariants() {
		return Stream.of(REDLOCK, EXTENSION, RESTART, RESTORE, LATE_RESTORE, RELOOK, LOST_CONNECTION, ALL,
				ALL_EXTENSION, ONE_ELECTED, ONE_MOST_DATA, ONE_OF_ONE);
	}

	@ParameterizedTest
	@MethodSource
	void plantedBugBreaksTheInvariant(Protocol protocol, String bug, String invariant)
			throws IOException, InterruptedException {
		checkBreaks(protocol.with(bug, bug + " = TRUE"), invariant);
	}

	static Stream<Arguments> plantedBugBreaksTheInvariant() {
		return Stream.of(Arguments.of(REDLOCK, "BugMinority", "Exclusion"),
				Arguments.of(REDLOCK, "BugNoAllowance", "Exclusion"),
				Arguments.of(REDLOCK, "BugNoWriteBack", "TokensGrow"),
				Arguments.of(REDLOCK, "BugUndoGranted", "NothingStaysBehind"),
				Arguments.of(LOST_CONNECTION, "BugUnnumbered", "Exclusion"),
				Arguments.of(LATE_RESTORE, "BugUnmarked", "NothingStaysBehind"),
				Arguments.of(RESTART, "BugNoQuarantine", "Exclusion"), Arguments.of(ALL, "BugNoWait", "Survival"),
				Arguments.of(ALL, "BugAllOfNone", "Survival"), Arguments.of(ALL, "BugSilentRepeat", "Survival"),
				Arguments.of(ALL_EXTENSION, "BugExtendNoWait", "Survival"),
				Arguments.of(ALL_EXTENSION.with("ThreeAsks", "MaxAsks = 3"), "BugUndoByStore", "Exclusion"),
				Arguments.of(ALL.with("ThreeOwners", "o2 = o2 o3 = o3", "Owners = {o1, o2, o3}"), "BugNoConfirmation",
						"Exclusion"));
	}

	@ParameterizedTest
	@MethodSource
	void knownLimitBreaksTheInvariant(Protocol protocol, String invariant) throws IOException, InterruptedException {
		checkBreaks(protocol, invariant);
	}

	static Stream<Arguments> knownLimitBreaksTheInvariant() {
		return Stream.of(
				Arguments.of(RESTART.with("LimitClocksOfRestart", "Ahead = 100", "MaxLate = 2", "Slow = {m1, m2}",
						"LateKinds = {\"acquire\"}"), "TokensGrow"),
				Arguments.of(ONE.with("LimitOtherReplica"), "Survival"),
				Arguments.of(ALL.with("LimitReplicaRestart", "MaxReplicaRestarts = 1"), "Survival"),
				Arguments.of(ALL.with("LimitMasterRestart", "MaxMasterRestarts = 1"), "Exclusion"));
	}

	private static void checkBreaks(Protocol protocol, String invariant) throws IOException, InterruptedException {
		String output = check(protocol.with(protocol.name(), "INVARIANTS " + invariant));
		assertThat(output).contains("Invariant " + invariant + " is violated");
	}

	private static String check(Protocol protocol) throws IOException, InterruptedException {
		long startedAt = System.nanoTime();
		String output = protocol.check();
		log.info("{}: {}, {} s", protocol, Protocol.states(output), (System.nanoTime() - startedAt) / 1_000_000_000);
		return output;
	}

}
