package com.example.fencing;

import java.util.Map;

import io.lockable.annotation.DistributedLockable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

@Service
public class Accounts {

	private final JdbcClient database;

	private final FencedUpdates fenced;

	public Accounts(JdbcClient database, FencedUpdates fenced) {
		this.database = database;
		this.fenced = fenced;
	}

	@DistributedLockable(key = { "account", "#id" }, waitTime = 5)
	public void book(String id, long cents) {
		// Before the read: from now on, earlier holders cannot write.
		this.fenced.update("UPDATE accounts SET fence = :fence WHERE id = :id AND fence <= :fence", Map.of("id", id));
		long balance = this.database.sql("SELECT balance FROM accounts WHERE id = ?")
			.param(id)
			.query(Long.class)
			.single();
		this.fenced.update("UPDATE accounts SET balance = :balance, fence = :fence WHERE id = :id AND fence <= :fence",
				Map.of("id", id, "balance", balance + cents));
	}

}
