package com.example.supplier;

import java.util.OptionalInt;

import io.lockable.annotation.DistributedLockable;

import org.springframework.stereotype.Service;

@Service
public class SupplierStock {

	private final SupplierClient client;

	public SupplierStock(SupplierClient client) {
		this.client = client;
	}

	@DistributedLockable(key = "supplier", permits = 5, waitTime = 2, fallback = "unknown")
	public OptionalInt stock(String article) {
		return OptionalInt.of(this.client.stock(article));
	}

	OptionalInt unknown(String article) {
		return OptionalInt.empty();
	}

}
