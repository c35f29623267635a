package io.lockable.spring.annotation;

import java.util.stream.Stream;

import io.lockable.annotation.DistributedLockable;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Makes the annotations readable in a native image, and accessible by the names in the
 * pointcut.
 */
final class AnnotationHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		Stream.of(DistributedLockable.class, DistributedLockable.List.class, ScheduledLock.class)
			.forEach((type) -> hints.reflection().registerType(type, MemberCategory.INVOKE_DECLARED_METHODS));
	}

}
