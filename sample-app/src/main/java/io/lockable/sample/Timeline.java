package io.lockable.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

import org.springframework.context.annotation.Profile;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Sends reports and states to all open pages, as server-sent events. Each page has a
 * bounded buffer: a page that stops reading delays no other page, and is dropped.
 */
@Component
@Profile("!shop")
class Timeline {

	/**
	 * The events that a page may lag behind, of about ten seconds.
	 */
	private static final int BUFFER = 150;

	private final Sinks.Many<ServerSentEvent<Object>> pages = Sinks.many().multicast().directBestEffort();

	private final Queue<Report> reports = new ConcurrentLinkedQueue<>();

	Flux<ServerSentEvent<Object>> events() {
		return this.pages.asFlux().onBackpressureBuffer(BUFFER).onErrorComplete();
	}

	void add(Report report) {
		this.reports.add(report);
	}

	/**
	 * Sends all reports since the last call, in one event.
	 */
	@Scheduled(fixedRate = 100)
	void flush() {
		List<Report> batch = new ArrayList<>();
		for (Report report = this.reports.poll(); report != null; report = this.reports.poll()) {
			batch.add(report);
		}
		if (!batch.isEmpty()) {
			send("reports", batch);
		}
	}

	/**
	 * Sends an event without waiting for any page. Concurrent calls exclude each other,
	 * because Reactor requires it.
	 * @param name the name of the event
	 * @param data its data, written as JSON
	 */
	synchronized void send(String name, Object data) {
		this.pages.tryEmitNext(ServerSentEvent.builder(data).event(name).build());
	}

}
