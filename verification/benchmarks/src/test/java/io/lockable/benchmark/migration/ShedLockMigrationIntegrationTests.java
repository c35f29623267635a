package io.lockable.benchmark.migration;

import io.lockable.autoconfigure.shedlock.DistributedLockProvider;
import io.lockable.spring.annotation.ScheduledLock;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A job of ShedLock and its successors in {@code docs/migration.md}, as applications on
 * one server.
 */
@Tag("extended")
@Tag("any-jdk")
class ShedLockMigrationIntegrationTests {

	private static final String PREFIX = "--distributed-lock.shedlock.prefix=job-lock:prod:";

	private static final String KEY = "job-lock:prod:report";

	@AfterEach
	void endMinimum() {
		Applications.server().call("DEL", KEY);
	}

	@Test
	void jobOfANewInstanceIsExcludedByThatOfAnOldOne() throws Exception {
		try (ConfigurableApplicationContext before = Applications.start(Before.class);
				ConfigurableApplicationContext after = Applications.start(After.class, PREFIX)) {
			assertThat(before.getBean(LockProvider.class)).isInstanceOf(RedisLockProvider.class);
			assertThat(after.getBean(LockProvider.class)).isInstanceOf(DistributedLockProvider.class);
			Job old = before.getBean(Job.class);
			Job job = after.getBean(Job.class);
			before.getBean(Till.class).during(old::report, () -> assertSkipped(after, job::report));
			// By lockAtLeastFor
			assertSkipped(after, job::report);
			endMinimum();
			after.getBean(Till.class).during(job::report, () -> assertSkipped(before, old::report));
			assertSkipped(before, old::report);
		}
	}

	@Test
	void annotationOfLockableExcludesJobsOfOldInstances() throws Exception {
		try (ConfigurableApplicationContext before = Applications.start(Before.class);
				ConfigurableApplicationContext last = Applications.start(Last.class)) {
			Job old = before.getBean(Job.class);
			LastJob job = last.getBean(LastJob.class);
			before.getBean(Till.class).during(old::report, () -> assertSkipped(last, job::report));
			endMinimum();
			last.getBean(Till.class).during(job::report, () -> assertSkipped(before, old::report));
			assertThat(last.getBean(Till.class).charges()).isOne();
			assertSkipped(before, old::report);
		}
	}

	private static void assertSkipped(ConfigurableApplicationContext application, Runnable job) {
		int before = application.getBean(Till.class).charges();
		job.run();
		assertThat(application.getBean(Till.class).charges()).isEqualTo(before);
	}

	public static class Job {

		private final Till till;

		Job(Till till) {
			this.till = till;
		}

		// tag::shedLockJob[]
		@Scheduled(cron = "0 0 2 * * *")
		@SchedulerLock(name = "report", lockAtMostFor = "10m", lockAtLeastFor = "1m")
		public void report() {
			this.till.charge("report");
		}
		// end::shedLockJob[]

	}

	public static class LastJob {

		private final Till till;

		LastJob(Till till) {
			this.till = till;
		}

		// tag::shedLockLast[]
		@Scheduled(cron = "0 0 2 * * *")
		@ScheduledLock(prefix = "job-lock:prod:", key = "report", minHold = "1m")
		public void report() {
			this.till.charge("report");
		}
		// end::shedLockLast[]

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableSchedulerLock(defaultLockAtMostFor = "10m")
	@Import({ Till.class, Job.class })
	static class Before {

		// tag::shedLockBefore[]
		@Bean
		LockProvider lockProvider(RedisConnectionFactory connectionFactory) {
			return new RedisLockProvider(connectionFactory, "prod");
		}
		// end::shedLockBefore[]

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableSchedulerLock(defaultLockAtMostFor = "10m")
	@Import({ Till.class, Job.class })
	static class After {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Till.class, LastJob.class })
	static class Last {

	}

}
