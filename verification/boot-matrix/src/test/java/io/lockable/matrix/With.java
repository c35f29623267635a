package io.lockable.matrix;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Restricts tests to class paths with some parts, and without others.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({ WithCondition.class, ClosingInstances.class })
@interface With {

	Part[] value() default {};

	Part[] without() default {};

}
