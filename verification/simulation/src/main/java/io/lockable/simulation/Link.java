package io.lockable.simulation;

/**
 * A TCP connection between an instance and the server: an ordered stream in each
 * direction, with delays.
 */
final class Link {

	private static final long MAX_JITTER = 300_000;

	/**
	 * The number of messages at one time of which each may close the connection.
	 */
	private static final int MAX_BURST = 50;

	private final Scheduler scheduler;

	private final Faults faults;

	private final Trace trace;

	private final Dice dice;

	private final Actor client;

	private final ServerProcess server;

	private final String name;

	private final Runnable onClosed;

	private long lastRequest;

	private long lastReply;

	// The number of messages at that time.
	private int burst;

	private long burstAt;

	private boolean open = true;

	private boolean ghost;

	/**
	 * Opens a connection.
	 * @param client the process of the client
	 * @param server the server
	 * @param name the name of the connection
	 * @param onClosed called when the client notices that the connection is closed
	 */
	Link(Actor client, ServerProcess server, String name, Runnable onClosed) {
		this.scheduler = server.scheduler();
		this.faults = server.faults();
		this.trace = server.trace();
		this.dice = Dice.of(server.seed(), "latency of " + name);
		this.client = client;
		this.server = server;
		this.name = name;
		this.onClosed = onClosed;
		server.opened(this);
	}

	String name() {
		return this.name;
	}

	Actor client() {
		return this.client;
	}

	boolean isOpen() {
		return this.open;
	}

	/**
	 * Sends something to the server.
	 * @param delivery called when it arrives
	 */
	void toServer(Runnable delivery) {
		this.lastRequest = Math.max(this.lastRequest, arrival());
		this.scheduler.at(this.lastRequest, this.server.actor(), () -> {
			if (this.open || this.ghost) {
				delivery.run();
			}
		});
	}

	/**
	 * Sends something to the client.
	 * @param delivery called when it arrives
	 */
	void toClient(Runnable delivery) {
		this.lastReply = Math.max(this.lastReply, arrival());
		this.scheduler.at(this.lastReply, this.client, () -> {
			if (this.open) {
				delivery.run();
			}
		});
	}

	/**
	 * Sends a message of a subscription to the client. It may be lost, late or doubled.
	 * @param delivery called when it arrives; a late message also after the end of the
	 * connection
	 */
	void publish(Runnable delivery) {
		if (this.faults.strike(Fault.MESSAGE_LOST, this.name) != null) {
			return;
		}
		Dice late = this.faults.strike(Fault.MESSAGE_LATE, this.name);
		if (late != null) {
			this.scheduler.at(this.scheduler.now() + late.logarithmic(1_000_000, 4_000_000_000L), this.client,
					delivery);
		}
		else {
			toClient(delivery);
		}
		if (this.faults.strike(Fault.MESSAGE_DOUBLED, this.name) != null) {
			toClient(delivery);
		}
	}

	private long arrival() {
		long now = this.scheduler.now();
		this.burst = (now == this.burstAt) ? this.burst + 1 : 0;
		this.burstAt = now;
		// A client that sends thousands of commands again would never get through.
		if (this.open && this.burst < MAX_BURST && this.faults.strike(Fault.CLOSE, this.name) != null) {
			this.scheduler.at(this.scheduler.now() + this.dice.between(0, 2_000_000), this.server.actor(), this::close);
		}
		Dice fault = this.faults.strike(Fault.DELAY, this.name);
		return this.scheduler.now() + this.server.latency() + this.dice.between(0, MAX_JITTER)
				+ ((fault != null) ? this.faults.lasts(fault.logarithmic(1_000_000, 2_500_000_000L), this.name) : 0);
	}

	/**
	 * Closes the connection. What is under way is lost, except for commands that the
	 * server has received already and executes later.
	 */
	void close() {
		if (!this.open) {
			return;
		}
		this.open = false;
		this.ghost = this.faults.strike(Fault.GHOST, this.name) != null;
		Dice late = this.faults.strike(Fault.HALF_OPEN, this.name);
		long notice = (late != null) ? this.faults.lasts(late.logarithmic(10_000_000, 3_000_000_000L), this.name)
				: this.dice.between(0, 1_000_000);
		this.trace.add(this.server.actor().name(), this.client.name(), "closes " + this.name);
		this.server.closed(this);
		this.scheduler.at(this.scheduler.now() + notice, this.client, this.onClosed);
	}

	/**
	 * Ends the connection because the client wants it. The server still receives what was
	 * sent.
	 */
	void finish() {
		if (this.open) {
			this.ghost = true;
			end();
		}
	}

	/**
	 * Ends the connection because the client wants it.
	 */
	void end() {
		this.open = false;
		this.server.closed(this);
	}

}
