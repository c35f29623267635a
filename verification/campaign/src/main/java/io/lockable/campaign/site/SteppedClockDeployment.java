package io.lockable.campaign.site;

import java.time.Duration;

import io.lockable.harness.server.SteppedClock;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;

/**
 * One server of the oldest supported version, with a steppable wall clock.
 */
public final class SteppedClockDeployment extends StandaloneDeployment {

	private final SteppedClock clock;

	SteppedClockDeployment(int workers) {
		this(new SteppedClock(), workers);
	}

	private SteppedClockDeployment(SteppedClock clock, int workers) {
		super(RedisServers.start(clock.executable(), SETTINGS), workers);
		this.clock = clock;
	}

	/**
	 * Steps the clock of the server.
	 * @param step the step; negative for back
	 */
	public void step(Duration step) {
		long offset = this.clock.step(step).toMillis();
		RedisTestServer server = masters().get(0);
		long earliest = System.currentTimeMillis() + offset;
		String[] time = server.call("TIME").split("\n", -1);
		long latest = System.currentTimeMillis() + offset;
		long now = Long.parseLong(time[0].strip()) * 1000 + Long.parseLong(time[1].strip()) / 1000;
		if (now < earliest || now > latest) {
			throw new IllegalStateException("The clock of the server did not follow: " + now + " ms is not between "
					+ earliest + " and " + latest + " ms");
		}
	}

	@Override
	public void close() {
		super.close();
		this.clock.delete();
	}

}
