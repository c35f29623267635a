package io.lockable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

/**
 * Declares that a method runs on one thread of one instance at a time for each key. The
 * call holds a {@link DistributedLock}, which is released when the method returns or
 * throws. <pre class="code">
 * &#064;DistributedLockable("#order.id")                        // disLock:&lt;id&gt;
 * public Receipt pay(Order order) { … }
 *
 * &#064;DistributedLockable(key = "test", expire = 10)          // disLock:test, for at most 10 s
 * public void test() { … }
 *
 * &#064;DistributedLockable(key = { "account", "#ids" }, waitTimeString = "5s", fallback = "later")
 * public void transfer(List&lt;String&gt; ids) { … }            // all accounts, or none
 * </pre>
 *
 * <p>
 * On a class, the annotation applies to each public method without its own annotation,
 * including those of subclasses. On an interface, it applies to the interface's methods.
 * Annotations on interface methods, overridden methods and meta-annotations apply too.
 * Spring's {@code @AliasFor} may set the attributes of a meta-annotation. Several
 * annotations in one place declare several locks. The lock is acquired before a
 * transaction that the method starts. Attributes are evaluated once, before the body.
 * Calls within one thread are reentrant.
 *
 * <p>
 * All text attributes may contain placeholders such as <code>${app.region}</code>.
 * Attributes described as computed may be SpEL expressions. Expressions refer to
 * arguments by name ({@code #order}) or position ({@code #p0}, {@code #a0}), and to beans
 * ({@code @tenant}). They are parsed once and have no root object.
 *
 * <p>
 * An invalid annotation fails application startup:
 * <ul>
 * <li>an expression with a syntax error or an unknown {@code #variable};</li>
 * <li>contradicting attributes;</li>
 * <li>a missing fallback;</li>
 * <li>{@link OnFailure#SKIP} on a method with a primitive return type;</li>
 * <li>a private or final method.</li>
 * </ul>
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLockables.class)
public @interface DistributedLockable {

	/**
	 * Alias for {@link #key}; set only one of them.
	 * @return the key, in one or several parts
	 */
	String[] value() default {};

	/**
	 * The key of the lock without its prefix, in one or several parts. Each part is
	 * computed:
	 * <ul>
	 * <li>a text with <code>#{</code> is a template: <code>order-#{#id}</code>;</li>
	 * <li>a text that contains {@code #}, or starts with {@code @} or {@code '}, is one
	 * SpEL expression: {@code #order.id}, {@code #p0}, {@code @tenant.id() + #id};</li>
	 * <li>any other text is literal: {@code test}.</li>
	 * </ul>
	 * A mixture such as {@code order-#id} fails application startup.
	 *
	 * <p>
	 * Several parts are joined with {@code :}. Within a part, {@code :} and {@code %} are
	 * written as {@code %3A} and {@code %25}. Different parts therefore never produce the
	 * same key. A single part is not escaped.
	 *
	 * <p>
	 * A part that evaluates to an array or a collection declares one lock for each
	 * element. The call acquires all of them or none, in the same order for all callers.
	 * Several such parts declare one lock for each combination. An empty array or
	 * collection throws {@link LockKeyException} at run time. So does a value or element
	 * that is null, blank, or an object without its own {@code toString()}.
	 * @return the key, in one or several parts
	 */
	String[] key() default {};

	/**
	 * The name of a {@link LockKeyBuilder} bean that builds the keys in place of
	 * {@link #key}.
	 * @return the name of the bean; empty for none
	 */
	String keyBuilder() default "";

	/**
	 * The prefix of the key in the store. By default, the property
	 * {@code distributed-lock.prefix}, which is {@code disLock:}.
	 * @return the prefix; empty for the default
	 */
	String prefix() default "";

	/**
	 * The time until the lock expires on the server without renewal, in {@link #unit};
	 * from 10 ms to 365 days. A lock with an explicit lease is not renewed, unless
	 * {@link #renew} is set: it expires even while the method runs. By default, the
	 * property {@code distributed-lock.lease}, which is 10 s and is renewed. A nested
	 * call with the same lock extends the lock to its own lease.
	 * @return the lease; -1 for the default
	 */
	long expire() default -1;

	/**
	 * The text form of {@link #expire}: {@code 10s}, {@code PT10S}, a number in
	 * {@link #unit}, or computed. An expression evaluates to a
	 * {@link java.time.Duration}, a number in {@link #unit}, or such a text. Mutually
	 * exclusive with {@link #expire}.
	 * @return the lease; empty for the default
	 */
	String expireString() default "";

	/**
	 * The maximum time to wait for the lock, in {@link #unit}; zero means exactly one
	 * try. By default, the property {@code distributed-lock.wait-time}, which is 0.
	 * @return the wait, zero or positive; -1 for the default
	 */
	long waitTime() default -1;

	/**
	 * The text form of {@link #waitTime}, in the format of {@link #expireString}.
	 * Mutually exclusive with {@link #waitTime}.
	 * @return the wait; empty for the default
	 */
	String waitTimeString() default "";

	/**
	 * The unit of {@link #expire} and {@link #waitTime}. It is also the unit of numbers
	 * without a unit in {@link #expireString}, {@link #waitTimeString}, {@link #maxHold},
	 * {@link #minHold} and {@link #retain}.
	 * @return the unit; seconds by default
	 */
	TimeUnit unit() default TimeUnit.SECONDS;

	/**
	 * Whether the lock is renewed while the method runs. Also applies to a nested call
	 * with the same lock.
	 * @return by default {@link Renewal#AUTO}: renewed if no lease is set
	 */
	Renewal renew() default Renewal.AUTO;

	/**
	 * The maximum time for which renewal keeps the lock, from its acquisition; at least
	 * the lease. In the format of {@link #expireString}. Fails application startup if the
	 * lock is not renewed. By default, the property {@code distributed-lock.max-hold},
	 * which is unlimited.
	 * @return the limit; empty for the default
	 */
	String maxHold() default "";

	/**
	 * The kind of lock. A call that holds the lock as a reader and requests it as a
	 * writer throws {@link LockUpgradeException}.
	 * @return by default {@link LockType#EXCLUSIVE}
	 */
	LockType type() default LockType.EXCLUSIVE;

	/**
	 * The number of calls that may run at once. A number above 1 declares a
	 * {@link DistributedSemaphore}: each call, including a nested one, holds its own
	 * permit. Waiters are served in order of arrival. All users of a key should set the
	 * same number. Mutually exclusive with {@link #type}.
	 * @return the number of permits, at least 1; by default 1, a lock
	 */
	int permits() default 1;

	/**
	 * Whether waiters of all instances acquire the lock strictly in order of arrival,
	 * which is slower. All users of a key must agree.
	 * @return {@code false} by default: in order of arrival within an instance, and in
	 * turns between instances
	 */
	boolean fair() default false;

	/**
	 * A SpEL expression that evaluates to a boolean, before the key is built. If it
	 * evaluates to {@code false}, the method runs without this lock.
	 * @return the condition; empty for always
	 */
	String condition() default "";

	/**
	 * The minimum time for which the lock is held, from its acquisition, even if the
	 * method completes earlier. It lets a job run once although the clocks of the
	 * instances differ, or limits how often a method runs. The caller does not wait for
	 * the rest of this time. In the format of {@link #expireString}; zero or positive,
	 * and at most the lease of a lock that is not renewed.
	 * @return the minimum; empty for none
	 */
	String minHold() default "";

	/**
	 * The time for which this instance retains the lock on the server after a call
	 * without waiters. The next call in this instance needs no command, and another
	 * instance that requests the lock receives it. A hand-written {@code SET NX} on the
	 * same key cannot request the lock, and {@link DistributedLock#isLocked()} of another
	 * instance does not. For both, the lock is held for up to this time. In the format of
	 * {@link #expireString}; from zero, which retains nothing, to 365 days, and never
	 * beyond the lease.
	 *
	 * <p>
	 * A positive value requires an exclusive lock that is renewed and not fair, as the
	 * only annotation of the method. It also requires a store whose instances can recall
	 * locks from each other. Otherwise a positive value fails application startup, and
	 * the default does not apply. A call with several locks, because a part of its key is
	 * a collection, retains none of them.
	 * @return the time; empty for the property {@code distributed-lock.retain}, which is
	 * 0
	 */
	String retain() default "";

	/**
	 * The outcome of a call if another owner holds the lock until the wait time is over.
	 * A failing store or an invalid key always throws an exception. All annotations of a
	 * method that set this attribute must agree.
	 * @return the outcome; by default the property {@code distributed-lock.on-failure},
	 * which is {@link OnFailure#THROW}; a {@code @Scheduled} method skips by default
	 */
	OnFailure onFailure() default OnFailure.DEFAULT;

	/**
	 * The method to call if another owner holds the lock until the wait time is over:
	 * {@code method} of the same object, or {@code bean::method}. It takes the same
	 * arguments, optionally followed by the {@link LockNotAcquiredException}. Its return
	 * type must fit the annotated method. It runs without a lock. Mutually exclusive with
	 * {@link #onFailure}.
	 * @return the fallback; empty for none
	 */
	String fallback() default "";

	/**
	 * The name of a {@link LockFailureHandler} bean, called if another owner holds the
	 * lock until the wait time is over. Mutually exclusive with {@link #onFailure} and
	 * {@link #fallback}.
	 * @return the name of the bean; empty for none
	 */
	String failureHandler() default "";

	/**
	 * The reaction to a loss of the lock while the method runs.
	 * @return by default {@link OnLost#WARN}, a log entry
	 */
	OnLost onLost() default OnLost.WARN;

	/**
	 * The time of the release if the caller already has a transaction. All annotations of
	 * a method that set this attribute must agree.
	 * @return by default the property {@code distributed-lock.in-transaction}, which is
	 * {@link InTransaction#KEEP}
	 */
	InTransaction inTransaction() default InTransaction.DEFAULT;

	/**
	 * The name of the {@link DistributedLocks} bean, if the application has several.
	 * @return the name of the bean; empty for the only or primary one
	 */
	String locks() default "";

	/**
	 * The name of the lock in meters, events and messages. It is the same for all keys,
	 * and therefore not computed.
	 * @return the name; by default {@code Type.method}
	 */
	String name() default "";

}
