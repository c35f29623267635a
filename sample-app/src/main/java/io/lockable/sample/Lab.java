package io.lockable.sample;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.InspectedLock;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.StoredLock.Holder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.util.Assert;
import org.springframework.web.server.ResponseStatusException;

/**
 * Starts the instances of the shop, orders runs, and causes faults.
 */
@Component
@Profile("!shop")
class Lab implements DisposableBean {

	static final int MAX_INSTANCES = 4;

	private static final Logger logger = LoggerFactory.getLogger(Lab.class);

	private static final String LOCK = "disLock:" + Order.ITEM;

	/**
	 * The holder may change during a question, or may only retain the lock.
	 */
	private static final int QUESTIONS = 5;

	/**
	 * Commands change it under the monitor. The page reads it without the monitor,
	 * because commands wait for the server and processes.
	 */
	private final List<Instance> instances = new CopyOnWriteArrayList<>();

	private final int initialInstances;

	private final Duration outage;

	private final Backend backend;

	private final InspectableLockStore store;

	private final LockEngine locks;

	private final Stock stock;

	private final Timeline timeline;

	private final TaskScheduler scheduler;

	private final JsonMapper json;

	private volatile Order run = Order.STOP;

	private int deadlocks;

	/**
	 * The last purchase that has read the stock.
	 */
	private volatile @Nullable Report purchase;

	/**
	 * The run whose end is not yet reported. A run sets it after its instances are busy.
	 */
	private final AtomicReference<@Nullable Order> open = new AtomicReference<>();

	Lab(@Value("${lab.instances:3}") int instances, @Value("${lab.outage:4s}") Duration outage, Backend backend,
			LockStore store, LockEngine locks, Stock stock, Timeline timeline, TaskScheduler scheduler,
			JsonMapper json) {
		Assert.isTrue(instances >= 0 && instances <= MAX_INSTANCES,
				() -> "'lab.instances' must be from 0 to %d, was %d".formatted(MAX_INSTANCES, instances));
		this.initialInstances = instances;
		this.outage = outage;
		this.backend = backend;
		this.store = (InspectableLockStore) store;
		this.locks = locks;
		this.stock = stock;
		this.timeline = timeline;
		this.scheduler = scheduler;
		this.json = json;
	}

	@EventListener
	void startInstances(ApplicationReadyEvent ready) {
		resize(this.initialInstances);
		logger.info("The lock lab is on http://localhost:{}. Its {} instances are starting",
				ready.getApplicationContext().getEnvironment().getProperty("local.server.port"), this.initialInstances);
	}

	/**
	 * Sets the number of instances, and returns while instances start and end.
	 * @param count the number
	 */
	synchronized void resize(int count) {
		check(!isRunning(), "Stop the run first");
		while (this.instances.size() > count) {
			this.instances.remove(this.instances.size() - 1).end();
		}
		while (this.instances.size() < count) {
			this.instances.add(newInstance("shop-" + (this.instances.size() + 1)));
		}
	}

	private Instance newInstance(String name) {
		try {
			Cable cable = new Cable(this.backend.host(), this.backend.port());
			return new Instance(name, cable, this.backend.arguments(cable.port()), this.json, this::receive);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to open a port for an instance", ex);
		}
	}

	private void receive(Report report) {
		this.timeline.add(report);
		if (report.state().equals("holding")) {
			this.purchase = report;
		}
		else if (report.state().equals("ready")) {
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
		this.open.set(order);
	}

	synchronized void stop() {
		this.run = Order.buy(0, this.run.locked(), 0);
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
		Instance instance = name.equals("holder") ? frozenHolder() : find(name);
		Instance.Status status = instance.status();
		check(status == Instance.Status.READY || (fault == Fault.KILL && status != Instance.Status.DEAD),
				instance.name() + " is " + status.word());
		switch (fault) {
			case PAUSE -> instance.pause();
			case CUT -> instance.cut();
			case KILL -> instance.kill();
		}
		this.scheduler.schedule(instance::recover, Instant.now().plus(this.outage));
	}

	/**
	 * Freezes the instance that holds the lock, in the middle of a purchase. The purchase
	 * may end before the freeze, so the owner and the stock are read again afterwards.
	 */
	private Instance frozenHolder() {
		for (int attempt = 0; attempt < 100; attempt++) {
			String owner = owner();
			if (owner != null) {
				Instance candidate = find(owner.split("[.:]", 2)[0]);
				if (candidate.status() != Instance.Status.READY || holdsWhileFrozen(candidate)) {
					return candidate;
				}
			}
		}
		throw new ResponseStatusException(HttpStatus.CONFLICT, "No instance holds the lock: buy with the lock first");
	}

	private boolean holdsWhileFrozen(Instance candidate) {
		boolean holds = false;
		candidate.freeze();
		try {
			String owner = owner();
			Report purchase = this.purchase;
			holds = owner != null && owner.startsWith(candidate.name() + ".") && purchase != null
					&& purchase.instance().equals(candidate.name())
					&& this.stock.isPurchaseInProgress(Order.ITEM, purchase.token());
		}
		finally {
			if (!holds) {
				candidate.thaw();
			}
		}
		return holds;
	}

	synchronized void start(String name) {
		Instance instance = find(name);
		check(instance.status() == Instance.Status.DEAD, name + " is alive");
		this.instances.set(this.instances.indexOf(instance), newInstance(name));
	}

	void restartServer() {
		check(this.backend.canRestart(), "The lab cannot restart this server");
		this.timeline.add(Report.of("server", 0, "stopped", 0, ""));
		this.backend.restart();
		this.timeline.add(Report.of("server", 0, "started", 0, ""));
	}

	/**
	 * Lets each instance lock a shelf, and then the shelf of the next instance.
	 */
	synchronized void deadlock() {
		List<Instance> ready = this.instances.stream()
			.filter((instance) -> instance.status() == Instance.Status.READY)
			.toList();
		check(ready.size() > 1, "A deadlock needs two running instances");
		this.deadlocks++;
		List<String> shelves = ready.stream()
			.map((instance) -> "deadlock-%d:shelf-of-%s".formatted(this.deadlocks, instance.name()))
			.toList();
		this.timeline.add(Report.of("lab", 0, "circle", 0, ""));
		for (int i = 0; i < ready.size(); i++) {
			ready.get(i).send(Order.lock(shelves.get(i), shelves.get((i + 1) % ready.size())));
		}
	}

	/**
	 * Asks the instance that holds the lock for its thread and the time of its hold.
	 */
	void askHolder() {
		InspectedLock inspected = this.locks.inspect(LOCK);
		for (int i = 1; i < QUESTIONS && !inspected.holders().stream().allMatch(Objects::nonNull); i++) {
			inspected = this.locks.inspect(LOCK);
		}
		this.timeline.add(Report.of("lab", 0, "holder", 0, describe(inspected)));
	}

	private static String describe(InspectedLock inspected) {
		if (!inspected.lock().isHeld()) {
			return "Lock '%s' is free.".formatted(LOCK);
		}
		LockInfo holder = inspected.holders().get(0);
		if (holder == null) {
			return "The holder '%s' of lock '%s' does not answer."
				.formatted(inspected.lock().holders().get(0).owner().split(":", 2)[0], LOCK);
		}
		return "'%s' of %s holds lock '%s' for %d ms in %s.".formatted(holder.thread(), holder.instance(), LOCK,
				holder.held().toMillis(), holder.name());
	}

	private @Nullable String owner() {
		Holder holder = holder();
		return (holder != null) ? holder.owner() : null;
	}

	private @Nullable Holder holder() {
		return this.store.look(LOCK)
			.toCompletableFuture()
			.orTimeout(2, TimeUnit.SECONDS)
			.join()
			.holders()
			.stream()
			.findFirst()
			.orElse(null);
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
		Order open = this.open.get();
		State state = state();
		this.timeline.send("state", state);
		Stock.Level stock = state.stock();
		if (open != null && !state.running() && stock != null && this.open.compareAndSet(open, null)) {
			this.timeline.add(Report.of("lab", 0, "ended", 0, this.json.writeValueAsString(stock)));
		}
	}

	State state() {
		boolean running = isRunning();
		List<InstanceState> states = this.instances.stream()
			.map((instance) -> new InstanceState(instance.name(), instance.status()))
			.toList();
		try {
			Holder holder = holder();
			Duration lease = (holder != null) ? holder.remaining() : null;
			return new State(running, this.run, states, this.stock.level(Order.ITEM),
					(holder != null) ? holder.owner() : null, (lease != null) ? lease.toMillis() : 0);
		}
		catch (DataAccessException | CompletionException ex) {
			return new State(running, this.run, states, null, null, 0);
		}
	}

	@Override
	public void destroy() {
		this.instances.stream().map(Instance::end).toList().forEach(CompletableFuture::join);
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
	 * @param stock the stock, or {@code null} if the server does not answer
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
