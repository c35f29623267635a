package io.lockable.simulation;

import java.util.List;
import java.util.function.Consumer;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Lets a thread be preempted between a step of {@code KeyShell} and each of its effects:
 * the loop over the effects is replaced in the loaded class.
 */
public final class Preemption {

	static final String SHELL = "io.lockable.engine.shell.KeyShell";

	private Preemption() {
	}

	/**
	 * Replaces the loop in the class of this JVM.
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
				.method(ElementMatchers.named("forEach"))
				.replaceWith(Preemption.class.getMethod("runEach", List.class, Consumer.class))
				.on(ElementMatchers.any()));
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Runs the effects of a step. Public, because {@code KeyShell} calls it.
	 * @param <T> the type of the elements; only effects are runnable
	 * @param effects the effects
	 * @param run runs one of them
	 */
	public static <T> void runEach(List<T> effects, Consumer<T> run) {
		Scheduler.runPreempted(effects, run);
	}

}
