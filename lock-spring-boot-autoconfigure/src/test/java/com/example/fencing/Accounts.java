package com.example.fencing;

import io.lockable.LockContext;
import io.lockable.annotation.DistributedLockable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Accounts {

	private final JdbcClient database;

	public Accounts(JdbcClient database) {
		this.database = database;
	}

	@Transactional
	@DistributedLockable(key = { "account", "#id" }, waitTime = 5)
	public void book(String id, long cents) {
		// Before the read: from now on, earlier holders cannot write.
		LockContext.current()
			.fencedUpdate((fence) -> this.database
				.sql("UPDATE accounts SET fence = :fence WHERE id = :id AND fence <= :fence")
				.param("id", id)
				.param("fence", fence)
				.update());
		long balance = this.database.sql("SELECT balance FROM accounts WHERE id = ?")
			.param(id)
			.query(Long.class)
			.single();
		this.database.sql("UPDATE accounts SET balance = ? WHERE id = ?").params(balance + cents, id).update();
	}

}
