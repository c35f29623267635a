package io.lockable.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * {@link Conditional @Conditional} that matches boolean properties of locks. It accepts
 * each notation of Spring Boot: {@code on}, {@code yes} and {@code 1} are {@code true}.
 * Any other value fails application startup. Otherwise a misspelled value might disable
 * the locks.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnLockFlagCondition.class)
public @interface ConditionalOnLockFlag {

	/**
	 * The names of the properties, without the prefix {@code distributed-lock.} of all
	 * properties.
	 * @return the names
	 */
	String[] value();

	/**
	 * The required value of each property.
	 * @return the value
	 */
	boolean havingValue() default true;

	/**
	 * The value of a property that is not set.
	 * @return the value
	 */
	boolean defaultValue() default true;

}
