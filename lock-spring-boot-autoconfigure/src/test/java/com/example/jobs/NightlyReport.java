package com.example.jobs;

import io.lockable.annotation.OnLost;
import io.lockable.spring.annotation.ScheduledLock;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
public class NightlyReport {

	private final Reports reports;

	public NightlyReport(Reports reports) {
		this.reports = reports;
	}

	@Scheduled(cron = "0 0 2 * * *")
	@ScheduledLock(key = "nightly-report", minHold = "1m", maxHold = "1h", onLost = OnLost.INTERRUPT)
	public void create() {
		this.reports.create();
	}

}
