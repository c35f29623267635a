package io.lockable.sample;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Starts the instances of the shop, orders runs, and causes faults.
 */
@Component
@Profile("!shop")
class Lab implements DisposableBean {

	static final int MAX_INSTANCES = 4;

	private static final String LOCK = "disLock:" + Order.ITEM;

	private final List<Cable> cables = new ArrayList<>();

	private final List<Instance> instances = new ArrayList<>();

	private final LabProperties properties;

	private final DataRedisConnectionDetails.Standalone redisAddress;

	private final @Nullable RedisProcess redisProcess;

	private final StringRedisTemplate redis;

	private final Stock stock;

	private final Timeline timeline;

	private final TaskScheduler scheduler;

	private final JsonMapper json;

	private Order run = Order.STOP;

	Lab(LabProperties properties, DataRedisConnectionDetails redisDetails, ObjectProvider<RedisProcess> redisProcess,
			StringRedisTemplate redis, Stock stock, Timeline timeline, TaskScheduler scheduler, JsonMapper json) {
		this.properties = properties;
		this.redisAddress = Objects.requireNonNull(redisDetails.getStandalone(), "The lab requires a single Redis");
		this.redisProcess = redisProcess.getIfAvailable();
		this.redis = redis;
		this.stock = stock;
		this.timeline = timeline;
		this.scheduler = scheduler;
		this.json = json;
	}

	@EventListener(ApplicationReadyEvent.class)
	void startInstances() {
		resize(this.properties.instances());
	}

	synchronized void resize(int count) {
		check(!isRunning(), "Stop the run first");
		while (this.instances.size() > count) {
			this.instances.remove(this.instances.size() - 1).close();
		}
		while (this.instances.size() < count) {
			this.instances.add(newInstance(this.instances.size()));
		}
	}

	private Instance newInstance(int index) {
		try {
			if (this.cables.size() == index) {
				this.cables.add(new Cable(this.redisAddress.getHost(), this.redisAddress.getPort()));
			}
			return new Instance("shop-" + (index + 1), this.cables.get(index), this.json, this::receive);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to open a port for an instance", ex);
		}
	}

	private void receive(Report report) {
		this.timeline.add(report);
		if (report.state().equals("ready")) {
			join(report.instance());
		}
	}

	/**
	 * Lets an instance that has been started during a run take part in it.
	 */
	private synchronized void join(String name) {
		if (this.run.buyers() > 0 && isRunning()) {
			this.instances.stream()
				.filter((instance) -> instance.name().equals(name) && !instance.isBusy())
				.forEach((instance) -> instance.send(this.run));
		}
	}

	synchronized void run(Order order, int mugs) {
		check(!isRunning(), "A run is in progress");
		check(this.instances.stream().noneMatch((each) -> each.status() == Instance.Status.STARTING),
				"Instances are still starting");
		List<Instance> alive = this.instances.stream()
			.filter((instance) -> instance.status() != Instance.Status.DEAD)
			.toList();
		check(!alive.isEmpty(), "No instance is alive: start one");
		this.stock.reset(Order.ITEM, mugs);
		this.run = order;
		this.timeline.add(Report.of("lab", 0, "run", 0, order.locked() ? "locked" : "unlocked"));
		alive.forEach((instance) -> instance.send(order));
	}

	synchronized void stop() {
		this.run = new Order(0, this.run.locked(), 0);
		this.instances.forEach((instance) -> instance.send(this.run));
	}

	private boolean isRunning() {
		return this.instances.stream().anyMatch(Instance::isBusy);
	}

	/**
	 * Causes a fault.
	 * @param name the name of an instance, or {@code holder}
	 * @param fault the fault
	 */
	synchronized void fault(String name, Fault fault) {
		Instance instance = name.equals("holder") ? pausedHolder() : find(name);
		Instance.Status status = instance.status();
		check(status == Instance.Status.READY || (fault == Fault.KILL && status != Instance.Status.DEAD),
				instance.name() + " is " + status.word());
		switch (fault) {
			case PAUSE -> {
				instance.pause();
				instance.markPaused();
			}
			case CUT -> {
				instance.cut();
				instance.resume();
			}
			case KILL -> instance.kill();
		}
		if (fault != Fault.KILL) {
			this.scheduler.schedule(instance::recover, Instant.now().plus(this.properties.outage()));
		}
	}

	/**
	 * Pauses the instance that holds the lock. The lock may pass on before the pause, so
	 * the owner is read again while the instance is paused.
	 */
	private Instance pausedHolder() {
		for (int attempt = 0; attempt < 100; attempt++) {
			String owner = owner();
			if (owner != null) {
				Instance candidate = find(owner.split("[.:]", 2)[0]);
				if (holdsWhilePaused(candidate)) {
					return candidate;
				}
			}
		}
		throw new ResponseStatusException(HttpStatus.CONFLICT, "No instance holds the lock: buy with the lock first");
	}

	private boolean holdsWhilePaused(Instance candidate) {
		boolean holds = false;
		candidate.pause();
		try {
			String owner = owner();
			holds = owner != null && owner.startsWith(candidate.name() + ".");
		}
		finally {
			if (!holds && candidate.status() != Instance.Status.PAUSED) {
				candidate.resume();
			}
		}
		return holds;
	}

	synchronized void start(String name) {
		Instance instance = find(name);
		check(instance.status() == Instance.Status.DEAD, name + " is alive");
		int index = this.instances.indexOf(instance);
		this.instances.set(index, newInstance(index));
	}

	void restartRedis() {
		if (this.redisProcess == null) {
			throw new ResponseStatusException(HttpStatus.CONFLICT, "The lab has not started this Redis server");
		}
		this.timeline.add(Report.of("redis", 0, "stopped", 0, ""));
		this.redisProcess.restart();
		this.timeline.add(Report.of("redis", 0, "started", 0, ""));
	}

	private @Nullable String owner() {
		return this.redis.opsForValue().get(LOCK);
	}

	private Instance find(String name) {
		return this.instances.stream()
			.filter((instance) -> instance.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No instance " + name));
	}

	private static void check(boolean condition, String message) {
		if (!condition) {
			throw new ResponseStatusException(HttpStatus.CONFLICT, message);
		}
	}

	@Scheduled(fixedDelay = 200)
	void sendState() {
		this.timeline.send("state", state());
	}

	State state() {
		List<InstanceState> states;
		boolean running;
		synchronized (this) {
			running = isRunning();
			states = this.instances.stream()
				.map((instance) -> new InstanceState(instance.name(), instance.status()))
				.toList();
		}
		try {
			String owner = owner();
			Long lease = this.redis.getExpire(LOCK, TimeUnit.MILLISECONDS);
			return new State(running, this.run, states, this.stock.level(Order.ITEM), owner,
					Math.max(0, Objects.requireNonNullElse(lease, 0L)));
		}
		catch (DataAccessException ex) {
			return new State(running, this.run, states, null, null, 0);
		}
	}

	@Override
	public synchronized void destroy() throws IOException {
		this.instances.forEach(Instance::end);
		this.instances.forEach(Instance::close);
		for (Cable cable : this.cables) {
			cable.close();
		}
	}

	/**
	 * The faults of an instance.
	 */
	enum Fault {

		PAUSE, CUT, KILL

	}

	/**
	 * The state of the lab, for the page.
	 *
	 * @param running whether a run is in progress
	 * @param run the last run
	 * @param instances the instances
	 * @param stock the stock, or {@code null} if Redis does not answer
	 * @param owner the owner token of the lock, or {@code null} if it is free
	 * @param leaseMillis the rest of its lease
	 */
	record State(boolean running, Order run, List<InstanceState> instances, Stock.@Nullable Level stock,
			@Nullable String owner, long leaseMillis) {

	}

	/**
	 * The state of an instance, for the page.
	 *
	 * @param name its name
	 * @param status its status
	 */
	record InstanceState(String name, Instance.Status status) {

	}

}
