package io.lockable.sample;

import java.util.concurrent.CompletionException;

import io.lockable.LockException;
import reactor.core.publisher.Flux;

import org.springframework.context.annotation.Profile;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The lab on the web: the page is static, reads {@code /events} and posts commands. A
 * refused command is answered with its reason.
 */
@RestController
@Profile("!shop")
class LabController {

	/**
	 * Commands require it, because a page of another origin cannot send it.
	 */
	private static final String HEADER = "X-Lab";

	private final Lab lab;

	private final Timeline timeline;

	LabController(Lab lab, Timeline timeline) {
		this.lab = lab;
		this.timeline = timeline;
	}

	@GetMapping("/events")
	Flux<ServerSentEvent<Object>> events() {
		return this.timeline.events();
	}

	@GetMapping("/state")
	Lab.State state() {
		return this.lab.state();
	}

	@PostMapping(headers = LabController.HEADER, path = "/run")
	void run(@RequestParam boolean locked, @RequestParam(defaultValue = "100") int mugs,
			@RequestParam(defaultValue = "3") int buyers, @RequestParam(defaultValue = "100") int think) {
		checkRange("mugs", mugs, 1, 1000);
		checkRange("buyers", buyers, 1, 4);
		checkRange("think", think, 1, 10000);
		this.lab.run(Order.buy(buyers, locked, think), mugs);
	}

	@PostMapping(headers = LabController.HEADER, path = "/stop")
	void stop() {
		this.lab.stop();
	}

	@PostMapping(headers = LabController.HEADER, path = "/instances")
	void resize(@RequestParam int count) {
		checkRange("count", count, 2, Lab.MAX_INSTANCES);
		this.lab.resize(count);
	}

	@PostMapping(headers = LabController.HEADER, path = "/instances/{name}/start")
	void start(@PathVariable String name) {
		this.lab.start(name);
	}

	@PostMapping(headers = LabController.HEADER, path = "/instances/{name}/faults")
	void fault(@PathVariable String name, @RequestParam Lab.Fault fault) {
		this.lab.fault(name, fault);
	}

	@PostMapping(headers = LabController.HEADER, path = "/server/restart")
	void restartServer() {
		this.lab.restartServer();
	}

	@PostMapping(headers = LabController.HEADER, path = "/deadlock")
	void deadlock() {
		this.lab.deadlock();
	}

	@PostMapping(headers = LabController.HEADER, path = "/holder")
	void askHolder() {
		this.lab.askHolder();
	}

	@ExceptionHandler({ CompletionException.class, DataAccessException.class, IllegalStateException.class,
			LockException.class })
	ProblemDetail handle(RuntimeException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(ex.getMessage()));
	}

	private static void checkRange(String name, int value, int min, int max) {
		if (value < min || value > max) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"'%s' must be from %d to %d, was %d".formatted(name, min, max, value));
		}
	}

}
