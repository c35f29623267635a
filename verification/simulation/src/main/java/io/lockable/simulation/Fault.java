package io.lockable.simulation;

/**
 * A kind of fault, with its largest probability. Each seed chooses rates of its own, and
 * leaves out more than half of the kinds: a mix of all faults hides more defects than it
 * finds.
 */
enum Fault {

	// For each message of the network

	/** A message and all later ones of its connection are late. */
	DELAY(0.05),

	/** A connection closes: before, during or after the execution of its commands. */
	CLOSE(0.02),

	/** The server executes commands of a connection that is closed already. */
	GHOST(0.5),

	/** The client notices late that its connection is closed. */
	HALF_OPEN(0.3),

	/** A message of a subscription is lost. */
	MESSAGE_LOST(0.3),

	/** A message of a subscription arrives late. */
	MESSAGE_LATE(0.3),

	/** A message of a subscription arrives twice. */
	MESSAGE_DOUBLED(0.2),

	/** The server answers one command with an error. */
	ERROR_REPLY(0.08),

	/** A replica receives the writes of its master late. */
	REPLICA_LATE(0.03),

	// For each tenth of a second

	/** The server restarts with its data. */
	RESTART(0.01),

	/** The server restarts without data. */
	RESTART_EMPTY(0.004),

	/** A replica without the last writes becomes the master. */
	FAILOVER(0.005),

	/** A replica of a master that waits for acknowledgements becomes the master. */
	ELECTION(0.04),

	/** A replica restarts, at times without its data. */
	REPLICA_RESTART(0.02),

	/** The server does nothing for a while. */
	SILENCE(0.02),

	/** The server forgets its scripts. */
	SCRIPT_FLUSH(0.3),

	/** The memory of the server is full for a while. */
	OUT_OF_MEMORY(0.02),

	/** The server refuses PUBLISH for a while, or drops notifications. */
	NO_PUBLISH(0.02),

	/** A transaction of the application locks the row of a lock. */
	ROW_LOCKED(0.02),

	/** The clock of the server jumps forward. */
	CLOCK_FORWARD(0.004),

	/** The clock of the server is set back. */
	CLOCK_BACK(0.004),

	/** Another client deletes a lock. */
	FOREIGN_DELETE(0.02),

	/** Another client takes a lock that is free. */
	FOREIGN_SET(0.02),

	// For each tenth of a second, in each instance

	/** All threads of an instance pause. */
	PAUSE(0.02),

	/** An instance crashes, and another one starts. */
	CRASH(0.005),

	/** An instance shuts down, and another one starts. */
	SHUTDOWN(0.005),

	/** An operator releases a lock by force. */
	FORCED_RELEASE(0.01),

	/** The connections of a blocking client or of a database are in use for a while. */
	POOL_EXHAUSTED(0.03),

	// For each blocking call

	/** The thread of a caller is interrupted. */
	INTERRUPT(0.3),

	// For each downgrade

	/** An operator releases the write lock by force before its holder takes a share. */
	FORCED_DOWNGRADE(0.3),

	// For each chance of a runtime

	/** A thread is preempted between a step and its effects. */
	PREEMPT(0.15),

	/** A timer is late. */
	LATE_TIMER(0.05);

	private final double most;

	Fault(double most) {
		this.most = most;
	}

	double most() {
		return this.most;
	}

	/**
	 * Returns whether this is no fault but a part of the schedule: it only delays a
	 * thread, a timer, or the messages of a connection.
	 * @return whether nothing fails
	 */
	boolean isSchedule() {
		return this == DELAY || this == PREEMPT || this == LATE_TIMER;
	}

	/**
	 * Returns the kind of an element of a run.
	 * @param name the name, see {@link Faults}
	 * @return the kind
	 */
	static Fault of(String name) {
		return valueOf(name.substring(0, name.indexOf('@')));
	}

}
