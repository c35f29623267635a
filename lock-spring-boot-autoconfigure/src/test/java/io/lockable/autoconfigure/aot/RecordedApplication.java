package io.lockable.autoconfigure.aot;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.agent.RecordedInvocationsPublisher;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/**
 * Runs the {@link AheadOfTimeApplication} under the agent of the runtime hints. It
 * compares the recorded reflection of locks with the hints of ahead-of-time processing.
 * The hints are created afterwards, so that all caches are cold during the recording.
 */
@SuppressWarnings("removal")
public final class RecordedApplication {

	private static final String PACKAGE = "io.lockable.spring.";

	private RecordedApplication() {
	}

	public static void main(String[] arguments) {
		Queue<RecordedInvocation> recorded = new ConcurrentLinkedQueue<>();
		RecordedInvocationsPublisher.addListener((invocation) -> {
			if (isOurs(invocation)) {
				recorded.add(invocation);
			}
		});
		AheadOfTimeApplication.main(arguments);
		List<RecordedInvocation> invocations = List.copyOf(recorded);
		AheadOfTimeApplication.print("recorded: " + invocations.size());
		RuntimeHints hints = hints();
		for (RecordedInvocation invocation : invocations) {
			if (!invocation.matches(hints)) {
				AheadOfTimeApplication.print("missing: " + invocation);
				invocation.getStackFrames().limit(12).forEach((frame) -> AheadOfTimeApplication.print("    " + frame));
			}
		}
		AheadOfTimeApplication.print("done");
	}

	private static boolean isOurs(RecordedInvocation invocation) {
		List<String> callers = invocation.getStackFrames().map(StackFrame::getClassName).toList();
		return callers.stream().anyMatch(RecordedApplication::isLibrary) && !isDoneOtherwise(invocation, callers);
	}

	// A native image creates its proxies at build time and need not
	// show methods of classes without an annotation
	private static boolean isDoneOtherwise(RecordedInvocation invocation, List<String> callers) {
		String caller = callers.get(0);
		return caller.contains(".$Proxy") || (caller.equals(PACKAGE + "metadata.AnnotatedTypes")
				&& !isApplication(invocation.getInstanceTypeReference().getCanonicalName()));
	}

	private static boolean isLibrary(String name) {
		return name.startsWith("io.lockable.") && !name.startsWith(RecordedApplication.class.getPackageName());
	}

	private static boolean isApplication(String name) {
		return name.startsWith(AheadOfTimeApplication.class.getName());
	}

	private static RuntimeHints hints() {
		System.clearProperty("spring.aot.enabled");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(AheadOfTimeApplication.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(AheadOfTimeApplication.class)), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			return generation.getRuntimeHints();
		}
	}

}
