package com.example.orders;

import java.util.Optional;

import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnLost;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Payments {

	private final JdbcClient database;

	private final PaymentProvider provider;

	public Payments(JdbcClient database, PaymentProvider provider) {
		this.database = database;
		this.provider = provider;
	}

	@Transactional
	@DistributedLockable(key = "#order", waitTime = 5, onLost = OnLost.FAIL)
	public String pay(String order) {
		return findReceipt(order).orElseGet(() -> charge(order));
	}

	private Optional<String> findReceipt(String order) {
		return this.database.sql("SELECT receipt FROM payments WHERE order_id = ?")
			.param(order)
			.query(String.class)
			.optional();
	}

	private String charge(String order) {
		String receipt = this.provider.charge(order);
		this.database.sql("INSERT INTO payments (order_id, receipt) VALUES (?, ?)").params(order, receipt).update();
		return receipt;
	}

}
