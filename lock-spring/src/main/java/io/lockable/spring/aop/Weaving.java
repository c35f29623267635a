package io.lockable.spring.aop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.aspectj.lang.Aspects;
import org.aspectj.lang.ProceedingJoinPoint;

import org.springframework.aop.aspectj.AspectJExpressionPointcut;
import org.springframework.util.ClassUtils;

/**
 * Identifies the methods into which AspectJ has woven the aspect. Each call of such a
 * method is locked.
 *
 * <p>
 * A class may also be woven only by other aspects. The AspectJ compiler names the aspect
 * in the class file. A class woven at load time has more join points than its class file.
 * Without either sign, the method counts as not woven, which causes an unneeded report at
 * worst.
 */
public final class Weaving {

	private static final String JOIN_POINT_FIELD = "ajc$tjp_";

	private static final String ASPECT = ClassUtils.classPackageAsResourcePath(Weaving.class)
			+ "/DistributedLockAspect";

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
	 * @return whether the method is woven, and matches the pointcut of the aspect
	 */
	public static boolean isWoven(Method method, Class<?> type) {
		return WOVEN.get(method.getDeclaringClass()) && AspectPointcut.INSTANCE.matches(method, type);
	}

	/**
	 * Returns whether AspectJ has an instance of the aspect.
	 * @return whether the instance exists
	 */
	public static boolean isAspectWoven() {
		return ClassUtils.isPresent("org.aspectj.lang.Aspects", Weaving.class.getClassLoader())
				&& Aspects.hasAspect(DistributedLockAspect.class);
	}

	/**
	 * Makes woven methods run without locks.
	 */
	public static void disableLocks() {
		if (isAspectWoven()) {
			DistributedLockAspect.configured(ProceedingJoinPoint::proceed);
		}
	}

	private static int joinPoints(Class<?> type) {
		return (int) Arrays.stream(type.getDeclaredFields())
			.filter((field) -> field.getName().startsWith(JOIN_POINT_FIELD))
			.count();
	}

	// A class file contains the names of its fields and of the classes that it uses as
	// plain text
	private static boolean isWovenByAspect(Class<?> type, int joinPoints) {
		try (InputStream stream = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (stream == null) {
				return false;
			}
			String file = new String(stream.readAllBytes(), StandardCharsets.ISO_8859_1);
			return file.contains(ASPECT) || !file.contains(JOIN_POINT_FIELD + (joinPoints - 1));
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * The pointcut of the aspect, created only if a class is woven.
	 */
	private static final class AspectPointcut {

		private static final AspectJExpressionPointcut INSTANCE = new AspectJExpressionPointcut();

		static {
			INSTANCE.setExpression(DistributedLockAspect.POINTCUT);
		}

	}

}
