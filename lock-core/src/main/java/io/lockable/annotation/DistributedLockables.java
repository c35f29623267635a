package io.lockable.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The container of several {@link DistributedLockable} annotations in one place. The
 * compiler adds it to a repeated annotation.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLockables {

	/**
	 * The annotations, each of which declares a lock.
	 * @return the annotations
	 */
	DistributedLockable[] value();

}
