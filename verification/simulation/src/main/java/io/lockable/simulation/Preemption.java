package io.lockable.simulation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Lets a thread be preempted between two actions, by the replacement of calls in loaded
 * classes: in {@code KeyShell} between a step and each of its effects, and in
 * {@code ServerThreads} after a script is queued, and before a worker leaves the queue.
 */
public final class Preemption {

	private static final String SHELL = "io.lockable.engine.shell.KeyShell";

	private static final String SERVER_THREADS = "io.lockable.redis.client.ServerThreads$Server";

	private Preemption() {
	}

	/**
	 * Replaces the calls in the classes of this JVM.
	 */
	static void install() {
		ByteBuddyAgent.install();
		for (String name : List.of(SHELL, SERVER_THREADS)) {
			try {
				Class<?> type = Class.forName(name);
				with(name, new ByteBuddy().redefine(type)).make()
					.load(type.getClassLoader(), ClassReloadingStrategy.fromInstalledAgent());
			}
			catch (ClassNotFoundException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	/**
	 * Adds the replacements to a changed class.
	 * @param <T> the class
	 * @param name its name
	 * @param type the class
	 * @return the class with the replacements, if it has such calls
	 */
	static <T> DynamicType.Builder<T> with(String name, DynamicType.Builder<T> type) {
		return switch (name) {
			case SHELL -> type.visit(replace(Runnable.class, "run", "runAll"));
			case SERVER_THREADS -> type.visit(replace(BlockingQueue.class, "offer", "run"))
				.visit(replace(AtomicInteger.class, "decrementAndGet", "work"));
			default -> type;
		};
	}

	private static AsmVisitorWrapper replace(Class<?> type, String called, String caller) {
		Method replacement = Arrays.stream(Preemption.class.getMethods())
			.filter((method) -> method.getName().equals(called))
			.findFirst()
			.orElseThrow();
		return MemberSubstitution.relaxed()
			.failIfNoMatch(true)
			.method(ElementMatchers.named(called).and(ElementMatchers.isDeclaredBy(type)))
			.replaceWith(replacement)
			.on(ElementMatchers.named(caller));
	}

	/**
	 * Runs an effect of a step. Public, because {@code KeyShell} calls it.
	 * @param effect the effect
	 */
	public static void run(Runnable effect) {
		Scheduler.preempt();
		effect.run();
	}

	/**
	 * Queues a script. Public, because {@code ServerThreads} calls it.
	 * @param queue the queue
	 * @param script the script
	 * @return whether the queue was not full
	 */
	public static boolean offer(BlockingQueue<Object> queue, Object script) {
		boolean added = queue.offer(script);
		Scheduler.preempt();
		return added;
	}

	/**
	 * Counts a worker that ends. Public, because {@code ServerThreads} calls it.
	 * @param workers the number of workers
	 * @return the number that is left
	 */
	public static int decrementAndGet(AtomicInteger workers) {
		Scheduler.preempt();
		return workers.decrementAndGet();
	}

}
