package com.example.fencing;

import java.util.Map;

import io.lockable.LockContext;

import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
public class FencedUpdates {

	private final JdbcClient database;

	public FencedUpdates(JdbcClient database) {
		this.database = database;
	}

	// The given statement must set fence = :fence and have the condition fence <= :fence
	public void update(String sql, Map<String, ?> parameters) {
		long fence = LockContext.current().fencingToken();
		int rows = this.database.sql(sql).params(parameters).param("fence", fence).update();
		if (rows == 0) {
			throw new OptimisticLockingFailureException(
					"No row, or a later holder has written: fence %d of %s".formatted(fence, parameters));
		}
	}

}
