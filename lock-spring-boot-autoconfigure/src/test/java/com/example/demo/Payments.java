package com.example.demo;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.lockable.annotation.DistributedLockable;

import org.springframework.stereotype.Service;

@Service
public class Payments {

	@DistributedLockable(key = "#order", waitTime = 20)
	public String pay(String order) throws InterruptedException {
		Instant start = Instant.now();
		Thread.sleep(3000); // the payment
		return "order %s: paid from %s to %s".formatted(order, seconds(start), seconds(Instant.now()));
	}

	private static Instant seconds(Instant time) {
		return time.truncatedTo(ChronoUnit.SECONDS);
	}

}
