package io.lockable.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockable.spring.aop.LockedMethodsSelector;

import org.springframework.context.annotation.Import;

/**
 * Enables {@link io.lockable.annotation.DistributedLockable} on the methods of beans, in
 * an application without Spring Boot. Spring Boot needs no such annotation.
 *
 * <pre class="code">
 * &#064;Configuration
 * &#064;EnableDistributedLocks
 * class LockConfiguration {
 *
 *     &#064;Bean(destroyMethod = "close")
 *     LockEngine distributedLocks(StringRedisTemplate template) {
 *         return LockEngine.builder(new RedisLockStore(template)).requestId(RequestId::current).build();
 *     }
 *
 * }
 * </pre>
 *
 * <p>
 * The application provides a bean of type {@link io.lockable.DistributedLocks}. A bean of
 * type {@link io.lockable.spring.LockSettings} replaces the default settings. Annotations
 * that cannot work fail the refresh of the context.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(LockedMethodsSelector.class)
public @interface EnableDistributedLocks {

	/**
	 * Whether proxies extend the class of a bean, instead of implementing its interfaces.
	 * The attribute applies to all proxies of the application.
	 * @return whether to create class proxies for beans with interfaces; {@code false} by
	 * default
	 */
	boolean proxyTargetClass() default false;

}
