package io.lockable.spring.aop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

import io.lockable.Internal;
import org.aspectj.lang.Aspects;
import org.aspectj.lang.ProceedingJoinPoint;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.aspectj.AspectJExpressionPointcut;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.FieldVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Tells the methods into which AspectJ has woven the aspect. They are locked whoever
 * calls them.
 *
 * <p>
 * A class may also be woven by aspects of others alone. What the compiler of AspectJ has
 * woven names the aspect in its class file; what was woven when it was loaded has more
 * join points than its class file. Where neither is seen, the method counts as not woven:
 * the worst that can come of that is a report too many.
 */
@Internal
public final class Weaving {

	private static final String JOIN_POINT_FIELD = "ajc$tjp_";

	private static final ClassValue<Boolean> WOVEN = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			int joinPoints = joinPoints(type);
			return joinPoints > 0 && isAspectWoven() && isWovenByAspect(type, joinPoints);
		}

	};

	private Weaving() {
	}

	/**
	 * Returns whether the aspect itself locks the calls of a method.
	 * @param method the annotated method
	 * @param type the class of the object
	 * @return whether it is woven, and seen by the pointcut of the aspect
	 */
	public static boolean isWoven(Method method, Class<?> type) {
		return WOVEN.get(method.getDeclaringClass()) && AspectPointcut.INSTANCE.matches(method, type);
	}

	/**
	 * Returns whether AspectJ knows the aspect. To be asked only where AspectJ is.
	 * @return whether it has an instance of its own
	 */
	public static boolean isAspectWoven() {
		return Aspects.hasAspect(DistributedLockAspect.class);
	}

	/**
	 * Lets woven methods run without locks.
	 */
	public static void disableLocks() {
		DistributedLockAspect.configured(ProceedingJoinPoint::proceed, Ordered.LOWEST_PRECEDENCE);
	}

	private static int joinPoints(Class<?> type) {
		int count = 0;
		for (Field field : type.getDeclaredFields()) {
			if (field.getName().startsWith(JOIN_POINT_FIELD)) {
				count++;
			}
		}
		return count;
	}

	private static boolean isWovenByAspect(Class<?> type, int joinPoints) {
		try (InputStream stream = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (stream == null) {
				return false;
			}
			ClassReader file = new ClassReader(stream);
			JoinPoints compiled = new JoinPoints();
			file.accept(compiled, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			return joinPoints > compiled.count || namesAspect(file);
		}
		catch (IOException | RuntimeException ex) {
			return false;
		}
	}

	private static boolean namesAspect(ClassReader file) {
		String aspect = ClassUtils.classPackageAsResourcePath(Weaving.class) + "/DistributedLockAspect";
		char[] buffer = new char[file.getMaxStringLength()];
		for (int i = 1; i < file.getItemCount(); i++) {
			int offset = file.getItem(i);
			// What a class constant has is the index of its name
			if (offset > 0 && file.readByte(offset - 1) == 7 && aspect.equals(file.readUTF8(offset, buffer))) {
				return true;
			}
		}
		return false;
	}

	/**
	 * What the aspect sees, made only where something is woven.
	 */
	private static final class AspectPointcut {

		private static final AspectJExpressionPointcut INSTANCE = new AspectJExpressionPointcut();

		static {
			INSTANCE.setExpression(DistributedLockAspect.POINTCUT);
		}

	}

	/**
	 * Counts the join points of a class file.
	 */
	private static final class JoinPoints extends ClassVisitor {

		private int count;

		JoinPoints() {
			super(SpringAsmInfo.ASM_VERSION);
		}

		@Override
		public @Nullable FieldVisitor visitField(int access, String name, String descriptor, @Nullable String signature,
				@Nullable Object value) {
			if (name.startsWith(JOIN_POINT_FIELD)) {
				this.count++;
			}
			return null;
		}

	}

}
