package io.lockable.sample;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

import org.springframework.context.annotation.Profile;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Sends reports and states to all open pages, as server-sent events. A page that opens
 * first receives the story so far. Each page has a bounded buffer: a page that stops
 * reading delays no other page, and is dropped.
 */
@Component
@Profile("!shop")
class Timeline {

	/**
	 * The events that a page may lag behind, of about ten seconds.
	 */
	private static final int BUFFER = 150;

	/**
	 * The reports of the story: about twenty runs of a hundred mugs.
	 */
	static final int STORY = 10_000;

	private final Queue<Report> reports = new ConcurrentLinkedQueue<>();

	/**
	 * The monitor guards the pages and the story. A page therefore receives each report
	 * once: in its story, or later.
	 */
	private final List<Sinks.Many<ServerSentEvent<Object>>> pages = new ArrayList<>();

	private final Deque<Report> story = new ArrayDeque<>();

	/**
	 * The start of the run that the oldest report of the story belongs to, if the story
	 * does not contain it.
	 */
	private @Nullable Report run;

	synchronized Flux<ServerSentEvent<Object>> events() {
		Sinks.Many<ServerSentEvent<Object>> page = Sinks.many()
			.unicast()
			.onBackpressureBuffer(new ArrayBlockingQueue<>(BUFFER));
		List<Report> soFar = new ArrayList<>(this.story);
		if (this.run != null) {
			soFar.add(0, this.run);
		}
		page.tryEmitNext(event("story", soFar));
		this.pages.add(page);
		return page.asFlux();
	}

	void add(Report report) {
		this.reports.add(report);
	}

	/**
	 * Sends all reports since the last call, in one event.
	 */
	@Scheduled(fixedRate = 100)
	synchronized void flush() {
		List<Report> batch = new ArrayList<>();
		for (Report report = this.reports.poll(); report != null; report = this.reports.poll()) {
			batch.add(report);
		}
		if (!batch.isEmpty()) {
			batch.forEach(this::keep);
			send("reports", batch);
		}
	}

	private void keep(Report report) {
		// Each instance sends this one four times a second, also without a run.
		if (report.state().equals("locks")) {
			return;
		}
		this.story.add(report);
		if (this.story.size() > STORY) {
			Report oldest = this.story.remove();
			this.run = oldest.state().equals("run") ? oldest : this.run;
		}
	}

	/**
	 * Sends an event without waiting for any page. A page whose buffer is full is
	 * dropped.
	 * @param name the name of the event
	 * @param data its data, written as JSON
	 */
	synchronized void send(String name, Object data) {
		ServerSentEvent<Object> event = event(name, data);
		this.pages.removeIf((page) -> {
			boolean sent = page.tryEmitNext(event).isSuccess();
			if (!sent) {
				page.tryEmitComplete();
			}
			return !sent;
		});
	}

	private static ServerSentEvent<Object> event(String name, Object data) {
		return ServerSentEvent.builder(data).event(name).build();
	}

}
