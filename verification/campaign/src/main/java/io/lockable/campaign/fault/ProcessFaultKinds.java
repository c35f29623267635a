package io.lockable.campaign.fault;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lockable.campaign.worker.WorkerProcess;

/**
 * Faults of the workers.
 */
final class ProcessFaultKinds {

	/**
	 * A holder that runs for 10 of 60 ms has a sixth of a processor.
	 */
	private static final long STOPPED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long RUNNING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final int SLICES = 15;

	static final List<Fault> ALL = List.of(
			Fault.ofWorkers("kill-holder", (scene) -> kill(scene.holder())).lasting(0, 0).leavingWaiter(),
			Fault.ofWorkers("kill-waiter", (scene) -> kill(scene.waiter())).lasting(0, 0).leavingWaiter(),
			Fault.ofWorkers("freeze-holder", (scene) -> freeze(scene, scene.holder()))
				.lasting(1200, 1700)
				.leavingWaiter(),
			Fault.ofWorkers("freeze-waiter", (scene) -> freeze(scene, scene.waiter()))
				.lasting(300, 1700)
				.leavingWaiter(),
			Fault.ofWorkers("slow-holder", (scene) -> slow(scene, scene.holder())).lasting(0, 0),
			Fault.ofWorkers("small-heap", (scene) -> fill(scene.holder())).lasting(900, 1500).leavingWaiter(),
			Fault.ofWorkers("interrupt", (scene) -> tell(scene, "interrupt")).lasting(50, 200),
			Fault.ofWorkers("cancel", (scene) -> tell(scene, "cancel")).lasting(50, 200),
			Fault.ofWorkers("shutdown-holding", (scene) -> shutDown(scene.holder(), true)).lasting(300, 500),
			Fault.ofWorkers("shutdown-waiting", (scene) -> shutDown(scene.waiter(), false)).lasting(300, 500));

	private ProcessFaultKinds() {
	}

	private static Runnable kill(WorkerProcess worker) {
		worker.close();
		return Fault.NOTHING;
	}

	private static Runnable freeze(Scene scene, WorkerProcess worker) {
		scene.processes().freeze(worker.process());
		return () -> scene.processes().thaw(worker.process());
	}

	private static Runnable slow(Scene scene, WorkerProcess worker) {
		for (int i = 0; i < SLICES; i++) {
			scene.processes().freeze(worker.process());
			LockSupport.parkNanos(STOPPED_NANOS);
			scene.processes().thaw(worker.process());
			LockSupport.parkNanos(RUNNING_NANOS);
		}
		return Fault.NOTHING;
	}

	private static Runnable fill(WorkerProcess worker) {
		worker.tell("fill");
		return () -> worker.tell("free");
	}

	private static Runnable tell(Scene scene, String command) {
		for (int i = 0; i < SLICES; i++) {
			scene.site().working().forEach((worker) -> worker.tell(command));
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + scene.random().nextInt(20)));
		}
		return Fault.NOTHING;
	}

	private static Runnable shutDown(WorkerProcess worker, boolean holding) {
		if (holding) {
			worker.tell("hold");
		}
		worker.shutDown("close");
		return Fault.NOTHING;
	}

}
