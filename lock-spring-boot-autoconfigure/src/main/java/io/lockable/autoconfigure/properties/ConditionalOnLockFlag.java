package io.lockable.autoconfigure.properties;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches by properties of locks that are true or false, in whichever of the words that
 * properties take for it: {@code on}, {@code yes} and {@code 1} are {@code true}. What is
 * neither keeps the application from starting, as it could otherwise run without its
 * locks for a misspelt word.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnLockFlagCondition.class)
public @interface ConditionalOnLockFlag {

	/**
	 * The names of the properties, without {@code distributed-lock.}, which all of them
	 * start with.
	 * @return the names
	 */
	String[] value();

	/**
	 * What each property has to be.
	 * @return the value
	 */
	boolean havingValue() default true;

	/**
	 * What a property is that is not set.
	 * @return the value
	 */
	boolean defaultValue() default true;

}
