package io.lockable.spring.annotation;

import java.util.ArrayList;
import java.util.List;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Selects the configurations of annotated methods for the libraries on the class path.
 * None is a member of another one, which would select it anyway.
 */
@Internal
public final class LockedMethodsSelector implements ImportSelector, BeanClassLoaderAware {

	private @Nullable ClassLoader classLoader;

	@Override
	public void setBeanClassLoader(ClassLoader classLoader) {
		this.classLoader = classLoader;
	}

	@Override
	public String[] selectImports(AnnotationMetadata importingClassMetadata) {
		List<String> configurations = new ArrayList<>();
		configurations.add(LockedMethodsConfiguration.class.getName());
		// Without AspectJ, the validator rejects annotated beans
		if (isPresent("org.aspectj.weaver.Advice")) {
			configurations.add(LockAdvisorConfiguration.class.getName());
		}
		if (isPresent("org.springframework.retry.annotation.RetryConfiguration")) {
			configurations.add(LockRetryConfiguration.class.getName());
		}
		if (isPresent("org.springframework.transaction.ConfigurableTransactionManager")) {
			configurations.add(LockTransactionConfiguration.class.getName());
		}
		return configurations.toArray(String[]::new);
	}

	private boolean isPresent(String type) {
		return ClassUtils.isPresent(type, this.classLoader);
	}

}
