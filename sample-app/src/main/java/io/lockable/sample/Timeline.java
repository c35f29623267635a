package io.lockable.sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends reports and states to all open pages, as server-sent events.
 */
@Component
@Profile("!shop")
class Timeline {

	private final List<SseEmitter> pages = new CopyOnWriteArrayList<>();

	private final Queue<Report> reports = new ConcurrentLinkedQueue<>();

	SseEmitter open() {
		SseEmitter page = new SseEmitter(0L);
		page.onCompletion(() -> this.pages.remove(page));
		page.onError((ex) -> this.pages.remove(page));
		this.pages.add(page);
		return page;
	}

	void add(Report report) {
		this.reports.add(report);
	}

	/**
	 * Sends what has happened since the last call, in one event.
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

	void send(String name, Object data) {
		this.pages.removeIf((page) -> !send(page, name, data));
	}

	private static boolean send(SseEmitter page, String name, Object data) {
		try {
			page.send(SseEmitter.event().name(name).data(data));
			return true;
		}
		catch (IOException | IllegalStateException ex) {
			// The page is closed.
			return false;
		}
	}

}
