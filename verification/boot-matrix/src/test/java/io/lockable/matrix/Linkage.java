package io.lockable.matrix;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.FieldVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Finds references of classes in some jars that the class path does not satisfy. A JVM
 * would fail only when it executes them.
 */
final class Linkage {

	private static final ClassLoader CLASS_LOADER = Linkage.class.getClassLoader();

	private final Set<String> classes = new TreeSet<>();

	private final Set<Missing> missing = new TreeSet<>();

	private final Set<String> unimplemented = new TreeSet<>();

	private int checked;

	static Linkage of(Class<?>... oneOfEachJar) {
		Linkage linkage = new Linkage();
		for (Class<?> type : oneOfEachJar) {
			linkage.check(jarOf(type));
		}
		return linkage;
	}

	/**
	 * Returns the classes whose references were checked.
	 * @return their names
	 */
	Set<String> classes() {
		return this.classes;
	}

	/**
	 * Returns the missing classes, and the members that their classes lack.
	 * @return the missing elements, with their referrers
	 */
	Set<Missing> missing() {
		return this.missing;
	}

	/**
	 * Returns the abstract methods of class path types that an implementing class lacks.
	 * @return "class lacks method"
	 */
	Set<String> unimplemented() {
		return this.unimplemented;
	}

	/**
	 * Returns the number of checked references.
	 * @return the number
	 */
	int checked() {
		return this.checked;
	}

	private static Path jarOf(Class<?> type) {
		try {
			return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void check(Path path) {
		try (JarFile jar = new JarFile(path.toFile())) {
			Enumeration<JarEntry> entries = jar.entries();
			while (entries.hasMoreElements()) {
				JarEntry entry = entries.nextElement();
				if (entry.getName().endsWith(".class")) {
					try (InputStream stream = jar.getInputStream(entry)) {
						check(new ClassReader(stream));
					}
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void check(ClassReader reader) {
		String name = Type.getObjectType(reader.getClassName()).getClassName();
		this.classes.add(name);
		reader.accept(new References(name), ClassReader.SKIP_DEBUG);
		try {
			Class<?> type = Class.forName(name, false, CLASS_LOADER);
			if (!Modifier.isAbstract(type.getModifiers())) {
				Arrays.stream(type.getMethods())
					.filter((method) -> Modifier.isAbstract(method.getModifiers()))
					.forEach((method) -> this.unimplemented.add(name + " lacks " + method));
			}
		}
		catch (ClassNotFoundException | LinkageError ex) {
			// The reference of this class is missing and has been recorded
		}
	}

	private void type(String referrer, Type type) {
		switch (type.getSort()) {
			case Type.ARRAY -> type(referrer, type.getElementType());
			case Type.OBJECT -> load(referrer, type);
			case Type.METHOD -> {
				type(referrer, type.getReturnType());
				Arrays.stream(type.getArgumentTypes()).forEach((argument) -> type(referrer, argument));
			}
			default -> {
			}
		}
	}

	private @Nullable Class<?> load(String referrer, Type type) {
		this.checked++;
		try {
			return Class.forName(type.getClassName(), false, CLASS_LOADER);
		}
		catch (ClassNotFoundException ex) {
			this.missing.add(Missing.of(type.getClassName(), referrer));
		}
		catch (NoClassDefFoundError ex) {
			this.missing.add(Missing.of(ex, type.getClassName(), referrer));
		}
		return null;
	}

	private void member(String referrer, String ownerName, String name, String descriptor) {
		type(referrer, Type.getType(descriptor));
		Type ownerType = Type.getObjectType(ownerName);
		Class<?> owner = null;
		if (ownerType.getSort() == Type.OBJECT) {
			owner = load(referrer, ownerType);
		}
		else {
			type(referrer, ownerType);
		}
		// The compiler checks the JDK; some of its methods accept every descriptor
		if (owner != null && !ownerName.startsWith("java/")) {
			try {
				if (!has(owner, name, descriptor)) {
					this.missing.add(Missing.of(owner.getName() + "." + name + descriptor, referrer));
				}
			}
			catch (NoClassDefFoundError ex) {
				this.missing.add(Missing.of(ex, owner.getName(), referrer));
			}
		}
	}

	private static boolean has(Class<?> type, String name, String descriptor) {
		if (name.equals("<init>")) {
			return Arrays.stream(type.getDeclaredConstructors())
				.anyMatch((each) -> Type.getConstructorDescriptor(each).equals(descriptor));
		}
		return Arrays.stream(type.getDeclaredMethods()).anyMatch((each) -> is(each, name, descriptor))
				|| Arrays.stream(type.getDeclaredFields())
					.anyMatch((each) -> each.getName().equals(name)
							&& Type.getDescriptor(each.getType()).equals(descriptor))
				|| parents(type).anyMatch((parent) -> has(parent, name, descriptor));
	}

	private static Stream<Class<?>> parents(Class<?> type) {
		Class<?> parent = type.isInterface() ? Object.class : type.getSuperclass();
		return Stream.concat(Stream.ofNullable(parent), Arrays.stream(type.getInterfaces()));
	}

	private static boolean is(Method method, String name, String descriptor) {
		return method.getName().equals(name) && Type.getMethodDescriptor(method).equals(descriptor);
	}

	/**
	 * A missing class or member.
	 *
	 * @param what the class or member
	 * @param through the class that links both; the referrer for a direct reference
	 * @param referrer the class of this project that refers to it
	 */
	record Missing(String what, String through, String referrer) implements Comparable<Missing> {

		static Missing of(String what, String referrer) {
			return new Missing(what, referrer, referrer);
		}

		static Missing of(NoClassDefFoundError error, String through, String referrer) {
			return new Missing(String.valueOf(error.getMessage()).replace('/', '.'), through, referrer);
		}

		Set<String> referrers() {
			return Set.copyOf(Arrays.asList(this.through, this.referrer));
		}

		@Override
		public int compareTo(Missing other) {
			return toString().compareTo(other.toString());
		}

	}

	/**
	 * The references of one class.
	 */
	private final class References extends ClassVisitor {

		private final String referrer;

		References(String referrer) {
			super(SpringAsmInfo.ASM_VERSION);
			this.referrer = referrer;
		}

		@Override
		public void visit(int version, int access, String name, String signature, String superName,
				String[] interfaces) {
			type(this.referrer, Type.getObjectType(superName));
			Arrays.stream(interfaces).forEach((each) -> type(this.referrer, Type.getObjectType(each)));
		}

		@Override
		public @Nullable FieldVisitor visitField(int access, String name, String descriptor, String signature,
				Object value) {
			type(this.referrer, Type.getType(descriptor));
			return null;
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
				String[] exceptions) {
			type(this.referrer, Type.getType(descriptor));
			return new Instructions(this.referrer);
		}

	}

	/**
	 * The references of one method.
	 */
	private final class Instructions extends MethodVisitor {

		private final String referrer;

		Instructions(String referrer) {
			super(SpringAsmInfo.ASM_VERSION);
			this.referrer = referrer;
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			type(this.referrer, Type.getObjectType(type));
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			member(this.referrer, owner, name, descriptor);
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			member(this.referrer, owner, name, descriptor);
		}

		@Override
		public void visitLdcInsn(Object value) {
			if (value instanceof Type type) {
				type(this.referrer, type);
			}
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			type(this.referrer, Type.getMethodType(descriptor));
			for (Object argument : arguments) {
				if (argument instanceof Handle handle) {
					member(this.referrer, handle.getOwner(), handle.getName(), handle.getDesc());
				}
				else if (argument instanceof Type type) {
					type(this.referrer, type);
				}
			}
		}

	}

}
