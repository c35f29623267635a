package io.lockable.autoconfigure.aop;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A controller that calls an annotated method.
 */
@RestController
class OrderController {

	private final Orders orders;

	OrderController(Orders orders) {
		this.orders = orders;
	}

	@PostMapping("/orders/{id}/payment")
	String pay(@PathVariable String id) {
		return this.orders.pay(id);
	}

}
