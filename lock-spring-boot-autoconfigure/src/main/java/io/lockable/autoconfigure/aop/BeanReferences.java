package io.lockable.autoconfigure.aop;

import java.util.function.Supplier;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Resolves the beans that annotations name.
 *
 * @param beanFactory knows the beans
 */
record BeanReferences(BeanFactory beanFactory) {

	/**
	 * Checks that a bean is there, and gets it when it is asked for first: it may need
	 * proxies that are not made yet.
	 * @param <T> the type of the bean
	 * @param attribute the attribute that names it
	 * @param name its name
	 * @param type what it must be
	 * @param lockable the annotated method
	 * @return gives the bean
	 * @throws InvalidDistributedLockableException if there is no such bean
	 */
	<T> Supplier<T> get(String attribute, String name, Class<T> type, LockableMethod lockable) {
		if (!this.beanFactory.containsBean(name) || !this.beanFactory.isTypeMatch(name, type)) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"%s = \"%s\" names no bean of type %s".formatted(attribute, name, type.getSimpleName()),
					"Write the name of such a bean, or define one.");
		}
		return SingletonSupplier.of(() -> this.beanFactory.getBean(name, type));
	}

}
