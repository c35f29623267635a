package io.lockable.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.DistributedSemaphore;
import io.lockable.LockKeyException;
import io.lockable.LockListener;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockStoreException;
import io.lockable.LockUpgradeException;

/**
 * Declares that, for each key, only one thread of all instances runs the method at a
 * time. The call holds a {@link DistributedLock}, which is released after the method and,
 * by default, the surrounding transaction have completed. <pre class="code">
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
 * also in subclasses. On an interface, it applies to the interface's methods. An
 * overriding method inherits it. It may be a meta-annotation, with attributes set through
 * Spring's {@code @AliasFor}. Several annotations on one element declare several locks.
 *
 * <p>
 * The lock is acquired before the method's own transaction begins. Each call evaluates
 * the attributes once, before the method runs. Nested synchronous calls in one thread are
 * reentrant, unless {@link #permits} is above 1.
 *
 * <p>
 * Keys, durations as text, {@link #prefix}, {@link #condition} and {@link #name} may
 * contain placeholders such as <code>${app.region}</code>. Keys, durations as text and
 * the condition may be SpEL expressions, which refer to arguments by name
 * ({@code #order}) or position ({@code #p0}, {@code #a0}), and to beans
 * ({@code @tenant}). Expressions are parsed once, and have no root object.
 *
 * <p>
 * Application startup fails if an annotation is invalid:
 * <ul>
 * <li>an expression with a syntax error or an unknown {@code #variable};</li>
 * <li>conflicting attributes;</li>
 * <li>a fallback that does not exist;</li>
 * <li>{@link OnFailure#SKIP} on a method with a primitive return type;</li>
 * <li>by default, a private or static method, or a final one behind a class proxy.</li>
 * </ul>
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLockable.List.class)
public @interface DistributedLockable {

	/**
	 * Alias for {@link #key}; set only one of them.
	 * @return the key, in one or several parts
	 */
	String[] value() default {};

	/**
	 * The key of the lock without its prefix, in one or several parts. Each part has one
	 * of these forms:
	 * <ul>
	 * <li>text that contains <code>#{</code> is a template:
	 * <code>order-#{#id}</code>;</li>
	 * <li>text that contains {@code #}, or starts with {@code @} or {@code '}, is one
	 * SpEL expression: {@code #order.id}, {@code #p0}, {@code @tenant.id() + #id};</li>
	 * <li>other text is literal: {@code test}.</li>
	 * </ul>
	 * Application startup fails with a mixture such as {@code order-#id}.
	 *
	 * <p>
	 * If a key has several parts, they are joined with {@code :}. Within each part,
	 * {@code :} and {@code %} are escaped as {@code %3A} and {@code %25}, so that
	 * different parts never produce the same key. A key of one part is not escaped.
	 *
	 * <p>
	 * A part that evaluates to an array or a collection declares one lock for each
	 * element. The call acquires all of these locks or none. All callers acquire the
	 * locks in the same order. Several such parts declare one lock for each combination.
	 * The call throws {@link LockKeyException} for an empty collection, for more than
	 * 1,000 keys, and for a value that is null, blank, a map, a nested collection, or an
	 * object whose class does not override {@code toString()}.
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
	 * The prefix of the key in the store. The default is the property
	 * {@code distributed-lock.prefix}, initially {@code disLock:}.
	 * @return the prefix; empty for the default
	 */
	String prefix() default "";

	/**
	 * The time after which the lock expires if it is not renewed. Everywhere else, this
	 * time is called the lease. In {@link #unit}, from 10 ms to 365 days. A lock with an
	 * explicit lease is renewed only if {@link #renew} is {@code true}. Otherwise it
	 * expires, even while the method runs. The default is the property
	 * {@code distributed-lock.lease}, initially 10 s, with renewal. If a nested call on
	 * the same lock has a longer lease, the lock gets that lease.
	 * @return the lease; -1 for the default
	 */
	long expire() default -1;

	/**
	 * The text form of {@link #expire}: {@code 10s}, {@code PT10S}, a number in
	 * {@link #unit}, or a SpEL expression. The expression evaluates to a
	 * {@link java.time.Duration}, a number in {@link #unit}, or text in one of these
	 * forms. Mutually exclusive with {@link #expire}.
	 * @return the lease; empty for the default
	 */
	String expireString() default "";

	/**
	 * The maximum time to wait for the lock, in {@link #unit}; zero means exactly one
	 * try. The default is the property {@code distributed-lock.wait-time}, initially 0.
	 *
	 * <p>
	 * The wait excludes the first connection of the application. Within the wait, a call
	 * retries while the store reports a temporary failure, for example while it loads its
	 * data. An unreachable store is retried for at most the property
	 * {@code distributed-lock.command-timeout}. The call then fails with
	 * {@link LockStoreException}.
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
	 * The unit of {@link #expire} and {@link #waitTime}. It also applies to plain numbers
	 * in {@link #expireString}, {@link #waitTimeString}, {@link #maxHold},
	 * {@link #minHold} and {@link #retain}.
	 * @return the unit; seconds by default
	 */
	TimeUnit unit() default TimeUnit.SECONDS;

	/**
	 * Whether the lock is always renewed while the method runs: also with an explicit
	 * lease, and if the property {@code distributed-lock.renewal} is off. During a nested
	 * call on the same lock, the lock is renewed if the nested or the outer call turns
	 * renewal on.
	 * @return {@code false} by default: a lock without an explicit lease is renewed
	 * unless that property is off, and a lock with one is not renewed
	 */
	boolean renew() default false;

	/**
	 * The time after the acquisition at which renewal ends, in the format of
	 * {@link #expireString}. It must be at least the lease. Application startup fails if
	 * an annotation sets {@code maxHold} and the lock is not renewed. The default is the
	 * property {@code distributed-lock.max-hold}, initially unlimited.
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
	 * permit. Waiters are served in order of arrival. All annotations with the same key
	 * should set the same number. Mutually exclusive with {@link #type}.
	 * @return the number of permits, at least 1; by default 1, a lock
	 */
	int permits() default 1;

	/**
	 * Whether waiters of all instances acquire the lock strictly in order of arrival. A
	 * fair lock is slower. All annotations with the same key must set the same value.
	 * @return {@code false} by default: waiters of an instance are served in order of
	 * arrival, and instances take turns
	 */
	boolean fair() default false;

	/**
	 * A boolean SpEL expression, evaluated before the key. If it evaluates to
	 * {@code false}, the method runs without this lock.
	 * @return the condition; empty for always
	 */
	String condition() default "";

	/**
	 * The minimum time for which the lock is held, from its acquisition, even if the
	 * method completes earlier. It prevents a second run of a job if the clocks of the
	 * instances differ, or limits how often a method runs. The call returns without
	 * waiting for the rest of this time. In the format of {@link #expireString}, zero or
	 * positive. Without renewal, it must not exceed the lease.
	 * @return the minimum; empty for none
	 */
	String minHold() default "";

	/**
	 * The time for which this instance retains the lock on the server after a call, if no
	 * other call waits for it. The next call in this instance needs no command. Another
	 * instance that requests the lock receives it. A hand-written {@code SET NX} finds a
	 * retained lock held, and so does {@link DistributedLock#isLocked()} in another
	 * instance. The time is in the format of {@link #expireString}, from zero, which
	 * retains nothing, to 365 days. Retention never exceeds the lease.
	 *
	 * <p>
	 * A positive value requires that the method has exactly one lock, and that this lock
	 * is exclusive, renewed and not fair. It also requires a store that notifies a holder
	 * of requests by other instances. Otherwise application startup fails. The property
	 * {@code distributed-lock.retain} is ignored for a method whose attributes rule out
	 * retention. If a part of the key is a collection, the call may hold several locks,
	 * and then retains none.
	 * @return the time; empty for the property {@code distributed-lock.retain}, initially
	 * 0
	 */
	String retain() default "";

	/**
	 * The outcome of a call if another owner still holds the lock when the wait time is
	 * over. The call always throws an exception if the store fails or the key is invalid.
	 * If several annotations of a method set this attribute, the values must be equal.
	 * @return the outcome; by default the property {@code distributed-lock.on-failure},
	 * initially {@link OnFailure#THROW}; a {@code @Scheduled} method skips by default
	 */
	OnFailure onFailure() default OnFailure.DEFAULT;

	/**
	 * The method to call if another owner still holds the lock when the wait time is
	 * over: {@code method} of the same object, or {@code bean::method}. It takes the same
	 * arguments, optionally followed by the {@link LockNotAcquiredException}. Its return
	 * type must be compatible with that of the annotated method. The fallback of a Kotlin
	 * suspending function may be suspending or not. The fallback runs without the lock.
	 * Mutually exclusive with {@link #onFailure}.
	 * @return the fallback; empty for none
	 */
	String fallback() default "";

	/**
	 * The name of a {@link LockFailureHandler} bean, called if another owner still holds
	 * the lock when the wait time is over. Mutually exclusive with {@link #onFailure} and
	 * {@link #fallback}.
	 * @return the name of the bean; empty for none
	 */
	String failureHandler() default "";

	/**
	 * The reaction if the lock is lost while the method runs.
	 * @return by default {@link OnLost#WARN}, a log entry; in any case, each
	 * {@link LockListener} is notified
	 */
	OnLost onLost() default OnLost.WARN;

	/**
	 * Determines when the lock is released if the caller already has a transaction. If
	 * several annotations of a method set this attribute, the values must be equal.
	 * @return by default the property {@code distributed-lock.in-transaction}, initially
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
	 * so it cannot be an expression.
	 * @return the name; by default {@code Type.method}
	 */
	String name() default "";

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
	@interface List {

		/**
		 * The annotations, each of which declares a lock.
		 * @return the annotations
		 */
		DistributedLockable[] value();

	}

}
