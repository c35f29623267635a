package io.lockable.simulation;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Lets a thread be preempted between a step of {@code KeyShell} and each of its effects:
 * the call that runs an effect is replaced in the loaded class.
 */
public final class Preemption {

	static final String SHELL = "io.lockable.engine.shell.KeyShell";

	private Preemption() {
	}

	/**
	 * Replaces the call in the class of this JVM.
	 */
	static void install() {
		try {
			Class<?> shell = Class.forName(SHELL);
			ByteBuddyAgent.install();
			with(new ByteBuddy().redefine(shell)).make()
				.load(shell.getClassLoader(), ClassReloadingStrategy.fromInstalledAgent());
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Adds the replacement to a changed class.
	 * @param <T> the class
	 * @param shell the class
	 * @return the class with the replacement
	 */
	static <T> DynamicType.Builder<T> with(DynamicType.Builder<T> shell) {
		try {
			return shell.visit(MemberSubstitution.relaxed()
				.method(ElementMatchers.named("run").and(ElementMatchers.isDeclaredBy(Runnable.class)))
				.replaceWith(Preemption.class.getMethod("run", Runnable.class))
				.on(ElementMatchers.named("runAll")));
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Runs an effect of a step. Public, because {@code KeyShell} calls it.
	 * @param effect the effect
	 */
	public static void run(Runnable effect) {
		Scheduler.runPreempted(effect);
	}

}
