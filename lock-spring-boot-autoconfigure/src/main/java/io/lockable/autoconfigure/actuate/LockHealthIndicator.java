package io.lockable.autoconfigure.actuate;

import io.lockable.autoconfigure.store.LockStoreProbe;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Tells whether locks can be taken and given back.
 */
final class LockHealthIndicator implements HealthIndicator {

	private final LockStoreProbe probe;

	LockHealthIndicator(LockStoreProbe probe) {
		this.probe = probe;
	}

	@Override
	public Health health() {
		LockStoreProbe.Result result = this.probe.run();
		Health.Builder health = Health.up()
			.withDetail("store", this.probe.store())
			.withDetail("latency", "%d ms".formatted(result.latency().toMillis()));
		String failure = result.failure();
		return (failure != null) ? health.down().withDetail("failure", failure).build() : health.build();
	}

}
