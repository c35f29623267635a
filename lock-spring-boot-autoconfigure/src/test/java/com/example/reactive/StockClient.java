package com.example.reactive;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

public interface StockClient {

	Flux<String> articles();

	Mono<Integer> available(String article);

	Mono<Void> update(String article, int available);

}
