package com.example.jobs;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;
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
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.times;

/**
 * Runs the code of {@code docs/guides/job-on-one-instance.md}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureDistributedLocks
@ExtendWith(OutputCaptureExtension.class)
class NightlyReportTests {

	private static final String KEY = "disLock:nightly-report";

	@Autowired
	private NightlyReport job;

	@Autowired
	private ScheduledTaskHolder scheduler;

	@Autowired
	private LockFaults faults;

	@Autowired
	private LockTestClock clock;

	@MockitoBean
	private Reports reports;

	@Test
	void jobIsScheduled() {
		assertThat(this.scheduler.getScheduledTasks()).extracting(Object::toString)
			.singleElement()
			.asString()
			.contains("NightlyReport.create");
	}

	@Test
	void jobThatAnotherInstanceRunsIsSkippedWithoutALine(CapturedOutput output) {
		this.faults.hold(KEY);
		this.job.create();
		then(this.reports).shouldHaveNoInteractions();
		assertThat(output.getOut()).doesNotContain(KEY);
	}

	@Test
	void jobThatStartsAgainWithinAMinuteIsSkipped() {
		this.job.create();
		this.clock.advance(Duration.ofSeconds(59));
		this.job.create();
		then(this.reports).should(times(1)).create();
		this.clock.advance(Duration.ofSeconds(1));
		this.job.create();
		then(this.reports).should(times(2)).create();
	}

	@Test
	void jobThatLosesItsLockIsInterrupted() {
		AtomicBoolean interrupted = new AtomicBoolean();
		willAnswer((invocation) -> {
			this.faults.lose(KEY);
			interrupted.set(Thread.currentThread().isInterrupted());
			return null;
		}).given(this.reports).create();
		this.job.create();
		assertThat(interrupted).isTrue();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ SchedulingConfiguration.class, NightlyReport.class })
	static class Application {

	}

}
