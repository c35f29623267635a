package io.lockable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

/**
 * The annotated method runs on one thread of one instance at a time: it is called while a
 * {@link DistributedLock} is held, which is released when it returns or throws.
 *
 * <pre class="code">
 * &#064;DistributedLockable(key = "#order.id")                  // disLock:&lt;id&gt;
 * public Receipt pay(Order order) { … }
 *
 * &#064;DistributedLockable(key = "test", expire = 10)          // disLock:test, for 10 s at most
 * public void test() { … }
 * </pre>
 *
 * <p>
 * On a class, it applies to every public method that has no annotation of its own, also
 * of subclasses; on an interface, to the interface's methods. It is also found on
 * interface methods and overridden methods, and as a meta-annotation. The lock is always
 * taken outside a transaction that the method starts, and its key is computed once,
 * before the body. Calls within one thread are reentrant.
 *
 * <p>
 * What cannot work (an expression that does not parse, an unknown {@code #variable},
 * {@link OnFailure#SKIP} on a primitive return type, a private or final method, a return
 * type such as {@code CompletableFuture} whose work goes on after the call) keeps the
 * application from starting.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLockable {

	/**
	 * The key of the lock, without its prefix:
	 * <ul>
	 * <li>a text with <code>#{</code> is a template: <code>order-#{#id}</code>;</li>
	 * <li>a text with {@code #}, or that starts with {@code @} or {@code '}, is one SpEL
	 * expression: {@code #order.id}, {@code #p0}, {@code @tenant.id() + #id};</li>
	 * <li>anything else is literal: {@code test}.</li>
	 * </ul>
	 * Arguments are {@code #name}, {@code #p0} or {@code #a0}. A mixture such as
	 * {@code order-#id} is refused at start. Placeholders such as
	 * <code>${app.region}</code> are resolved first. A value that is null, blank, a
	 * collection, or without a text of its own is a {@link LockKeyException} at run time,
	 * also as a part of a template.
	 * @return the key
	 */
	String key();

	/**
	 * What stands before the key in the store. By default the property
	 * {@code distributed-lock.prefix}, which is {@code disLock:}.
	 * @return the prefix; empty for the default
	 */
	String prefix() default "";

	/**
	 * How long the lock lives on the server without renewal, in {@link #unit}. A lock
	 * with a lease of its own is not renewed: it ends then, also when the method still
	 * runs. By default the property {@code distributed-lock.lease}, which is 10 s, and
	 * which a live holder keeps renewing.
	 * @return the lease, positive; -1 for the default
	 */
	long expire() default -1;

	/**
	 * How long to wait for the holder at most, in {@link #unit}; zero means exactly one
	 * try. By default the property {@code distributed-lock.wait-time}, which is 0.
	 * @return the wait, zero or positive; -1 for the default
	 */
	long waitTime() default -1;

	/**
	 * The unit of {@link #expire} and {@link #waitTime}.
	 * @return the unit, seconds by default
	 */
	TimeUnit unit() default TimeUnit.SECONDS;

	/**
	 * What happens when somebody else holds the lock until the wait is over. A failing
	 * store or a key that cannot be built is an exception either way.
	 * @return the outcome; by default the property {@code distributed-lock.on-failure},
	 * which is {@link OnFailure#THROW}. A method that is also {@code @Scheduled} skips by
	 * default
	 */
	OnFailure onFailure() default OnFailure.DEFAULT;

}
