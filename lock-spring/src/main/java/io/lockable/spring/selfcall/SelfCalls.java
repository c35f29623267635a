package io.lockable.spring.selfcall;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;

/**
 * Finds the calls of a class to methods of its own object. They bypass the proxy, so only
 * the byte code shows them.
 */
@Internal
public final class SelfCalls {

	private static final Logger logger = LoggerFactory.getLogger(SelfCalls.class);

	private SelfCalls() {
	}

	/**
	 * Looks for calls of methods on {@code this} in a class and its superclasses,
	 * including lambdas and method references.
	 * @param type the class
	 * @param callees the methods to look for
	 * @return the calls, each once, in source order; empty if the byte code cannot be
	 * read
	 */
	public static Collection<SelfCall> find(Class<?> type, Collection<Method> callees) {
		Map<String, Method> calleesBySignature = bySignature(callees);
		Set<SelfCall> calls = new LinkedHashSet<>();
		for (Class<?> current = type; current != null && current != Object.class; current = current.getSuperclass()) {
			try (InputStream stream = current.getResourceAsStream(ClassUtils.getClassFileName(current))) {
				if (stream != null) {
					new ClassReader(stream).accept(
							new Finder(ClassUtils.getShortName(current), calleesBySignature, calls),
							ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
				}
			}
			catch (IOException | RuntimeException ex) {
				// For example, byte code of a later Java version; the result is advisory
				logger.debug("Failed to look for calls of annotated methods in {}", current.getName(), ex);
			}
		}
		return calls;
	}

	// A generic superclass calls the bridge, not the method behind it
	private static Map<String, Method> bySignature(Collection<Method> callees) {
		Map<String, Method> result = new HashMap<>();
		for (Method callee : callees) {
			result.put(callee.getName() + Type.getMethodDescriptor(callee), callee);
			for (Method candidate : callee.getDeclaringClass().getDeclaredMethods()) {
				if (candidate.isBridge() && BridgeMethodResolver.findBridgedMethod(candidate).equals(callee)) {
					result.put(candidate.getName() + Type.getMethodDescriptor(candidate), callee);
				}
			}
		}
		return result;
	}

	/**
	 * A call that is not intercepted.
	 *
	 * @param caller the calling method, with its class
	 * @param callee the called method
	 */
	public record SelfCall(String caller, Method callee) {

	}

	/**
	 * Visits the methods of one class of the hierarchy.
	 */
	private static final class Finder extends ClassVisitor {

		private final String className;

		private final Map<String, Method> callees;

		private final Collection<SelfCall> calls;

		Finder(String className, Map<String, Method> callees, Collection<SelfCall> calls) {
			super(SpringAsmInfo.ASM_VERSION);
			this.className = className;
			this.callees = callees;
			this.calls = calls;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			if ((access & (Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE | Opcodes.ACC_ABSTRACT)) != 0) {
				return null;
			}
			return new ThisTracker((calledName, calledDescriptor, special) -> {
				Method callee = this.callees.get(calledName + calledDescriptor);
				boolean toItsSuper = special && calledName.equals(name) && calledDescriptor.equals(descriptor);
				if (callee != null && !toItsSuper) {
					this.calls.add(new SelfCall(this.className + "." + source(name), callee));
				}
			});
		}

		// The compiler moves the body of a lambda into lambda$method$0
		private static String source(String name) {
			if (!name.startsWith("lambda$")) {
				return name;
			}
			int end = name.lastIndexOf('$');
			return (end > "lambda$".length()) ? name.substring("lambda$".length(), end) : name;
		}

	}

}
