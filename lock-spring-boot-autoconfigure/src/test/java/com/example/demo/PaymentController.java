package com.example.demo;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class PaymentController {

	private final Payments payments;

	public PaymentController(Payments payments) {
		this.payments = payments;
	}

	@PostMapping("/orders/{order}/payment")
	public String pay(@PathVariable String order) throws InterruptedException {
		return this.payments.pay(order) + "\n";
	}

}
