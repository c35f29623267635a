package com.example.orders;

public interface PaymentProvider {

	// The provider accepts the order as an idempotency key: it charges each order once.
	String charge(String order);

}
