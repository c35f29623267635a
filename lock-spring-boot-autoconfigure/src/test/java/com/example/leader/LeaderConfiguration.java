package com.example.leader;

import io.lockable.DistributedLocks;
import io.lockable.spring.leader.LeaderElection;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
public class LeaderConfiguration {

	@Bean
	public LeaderElection indexerElection(DistributedLocks locks) {
		return new LeaderElection(locks.get("disLock:indexer"), "indexer");
	}

}
