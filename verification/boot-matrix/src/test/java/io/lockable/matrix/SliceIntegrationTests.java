package io.lockable.matrix;

import java.time.Duration;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.test.LockTestClock;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test slice, with and without Redis on the class path.
 */
@SpringBootTest(classes = PlainApplication.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureDistributedLocks
class SliceIntegrationTests {

	@Autowired
	private DistributedLocks locks;

	@Autowired
	private LockTestClock clock;

	@Test
	void leaseEndsOnTheClockOfTheTest() throws InterruptedException {
		LockOptions options = LockOptions.defaults().withLease(Duration.ofMinutes(5)).withRenewal(Renewal.OFF);
		Lease lease = this.locks.get("slice", options).acquire();
		assertThat(this.locks.get("slice").isLocked()).isTrue();
		this.clock.advance(Duration.ofMinutes(6));
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.locks.get("slice").isLocked()).isFalse();
	}

}
