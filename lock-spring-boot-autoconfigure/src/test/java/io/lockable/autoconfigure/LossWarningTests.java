package io.lockable.autoconfigure;

import io.lockable.annotation.DistributedLockable;
import io.lockable.test.LockFaults;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The warning for an annotated method that loses its lock.
 */
@SpringBootTest
@AutoConfigureDistributedLocks
@ExtendWith(OutputCaptureExtension.class)
class LossWarningTests {

	@Autowired
	private Till till;

	@Autowired
	private LockFaults faults;

	@Test
	void warningHasTheMethod(CapturedOutput output) {
		this.till.pay(() -> this.faults.lose("disLock:1"));
		assertThat(output).contains("Lock 'disLock:1' (LossWarningTests.Till.pay) is lost");
	}

	@Test
	void warningHasTheNameOfTheAnnotation(CapturedOutput output) {
		this.till.refund(() -> this.faults.lose("disLock:2"));
		assertThat(output).contains("Lock 'disLock:2' (refunds) is lost");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Till.class)
	static class Application {

	}

	static class Till {

		@DistributedLockable(key = "1")
		void pay(Runnable body) {
			body.run();
		}

		@DistributedLockable(key = "2", name = "refunds")
		void refund(Runnable body) {
			body.run();
		}

	}

}
