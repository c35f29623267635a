package com.example.reactive;

import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.stereotype.Service;

@Service
public class Stock {

	private final StockClient client;

	public Stock(StockClient client) {
		this.client = client;
	}

	@DistributedLockable(key = "#article", waitTime = 5, onLost = OnLost.INTERRUPT)
	public Mono<Integer> reserve(String article, int amount) {
		return this.client.available(article)
			.filter((available) -> available >= amount)
			.map((available) -> available - amount)
			.flatMap((left) -> this.client.update(article, left).thenReturn(left));
	}

	@DistributedLockable(key = "inventory", onFailure = OnFailure.SKIP)
	public Flux<String> inventory() {
		return this.client.articles()
			.concatMap((article) -> this.client.available(article).map((available) -> article + ": " + available));
	}

}
