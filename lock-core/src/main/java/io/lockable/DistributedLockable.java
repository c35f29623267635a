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
 * The annotated method runs on one thread of one instance at a time: it is called while a
 * {@link DistributedLock} is held, which is released when it returns or throws.
 *
 * <pre class="code">
 * &#064;DistributedLockable("#order.id")                        // disLock:&lt;id&gt;
 * public Receipt pay(Order order) { … }
 *
 * &#064;DistributedLockable(key = "test", expire = 10)          // disLock:test, for 10 s at most
 * public void test() { … }
 *
 * &#064;DistributedLockable(key = { "account", "#ids" }, waitTimeString = "5s", fallback = "later")
 * public void transfer(List&lt;String&gt; ids) { … }            // all accounts, or none
 * </pre>
 *
 * <p>
 * On a class, it applies to every public method that has no annotation of its own, also
 * of subclasses; on an interface, to the interface's methods. It is also found on
 * interface methods and overridden methods, and as a meta-annotation, whose attributes
 * Spring's {@code @AliasFor} may set. Several annotations in one place mean several
 * locks. The locks are always taken outside a transaction that the method starts, and
 * what an annotation says is evaluated once, before the body. Calls within one thread are
 * reentrant.
 *
 * <p>
 * All texts may have placeholders such as <code>${app.region}</code>. Those that are said
 * to be computed may be SpEL expressions on the arguments, by name ({@code #order}) or
 * position ({@code #p0}, {@code #a0}), and on beans ({@code @tenant}). Expressions are
 * parsed once and have no root object.
 *
 * <p>
 * What cannot work (an expression that does not parse, an unknown {@code #variable},
 * attributes that contradict each other, a fallback that does not exist,
 * {@link OnFailure#SKIP} on a primitive return type, a private or final method) keeps the
 * application from starting.
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
	 * Alias for {@link #key}: give one of them.
	 * @return the key, in one or several parts
	 */
	String[] value() default {};

	/**
	 * The key of the lock, without its prefix, in one or several parts, each of which is
	 * computed:
	 * <ul>
	 * <li>a text with <code>#{</code> is a template: <code>order-#{#id}</code>;</li>
	 * <li>a text with {@code #}, or that starts with {@code @} or {@code '}, is one SpEL
	 * expression: {@code #order.id}, {@code #p0}, {@code @tenant.id() + #id};</li>
	 * <li>anything else is literal: {@code test}.</li>
	 * </ul>
	 * A mixture such as {@code order-#id} is refused at start.
	 *
	 * <p>
	 * Several parts are joined with {@code :}, and a {@code :} or {@code %} within one of
	 * them is written {@code %3A} or {@code %25}, so that different parts never give the
	 * same key. One part alone stays as it is.
	 *
	 * <p>
	 * A part whose value is an array or a collection means one lock for each of its
	 * elements, all or none, in one order for all callers; several such parts mean one
	 * for each combination. A value, or an element, that is null, blank, or without a
	 * text of its own is a {@link LockKeyException} at run time, and so is an empty array
	 * or collection.
	 * @return the key, in one or several parts
	 */
	String[] key() default {};

	/**
	 * The name of a {@link LockKeyBuilder} bean that builds the keys instead of
	 * {@link #key}.
	 * @return the name of the bean; empty for none
	 */
	String keyBuilder() default "";

	/**
	 * What stands before the key in the store. By default the property
	 * {@code distributed-lock.prefix}, which is {@code disLock:}.
	 * @return the prefix; empty for the default
	 */
	String prefix() default "";

	/**
	 * How long the lock lives on the server without renewal, in {@link #unit}; from 10 ms
	 * to 365 days. A lock with a lease of its own is not renewed, unless {@link #renew}
	 * says so: it ends then, also when the method still runs. By default the property
	 * {@code distributed-lock.lease}, which is 10 s, and which a live holder keeps
	 * renewing. A call within another that has the same lock prolongs it to its own
	 * lease.
	 * @return the lease; -1 for the default
	 */
	long expire() default -1;

	/**
	 * The same as {@link #expire} as a text: {@code 10s}, {@code PT10S}, a number in
	 * {@link #unit}, or computed. An expression gives a {@link java.time.Duration}, a
	 * number in {@link #unit}, or such a text. Not together with {@link #expire}.
	 * @return the lease; empty for the default
	 */
	String expireString() default "";

	/**
	 * How long to wait for the holder at most, in {@link #unit}; zero means exactly one
	 * try. By default the property {@code distributed-lock.wait-time}, which is 0.
	 * @return the wait, zero or positive; -1 for the default
	 */
	long waitTime() default -1;

	/**
	 * The same as {@link #waitTime} as a text, written as {@link #expireString} is. Not
	 * together with {@link #waitTime}.
	 * @return the wait; empty for the default
	 */
	String waitTimeString() default "";

	/**
	 * The unit of {@link #expire} and {@link #waitTime}, and of numbers without a unit in
	 * {@link #expireString}, {@link #waitTimeString}, {@link #maxHold}, {@link #minHold}
	 * and {@link #retain}.
	 * @return the unit, seconds by default
	 */
	TimeUnit unit() default TimeUnit.SECONDS;

	/**
	 * Whether the lock is renewed for as long as the method runs, also as a call within
	 * another that has the same lock.
	 * @return by default {@link Renewal#AUTO}: if no lease is given
	 */
	Renewal renew() default Renewal.AUTO;

	/**
	 * How long renewal keeps the lock at most, counted from its acquisition; at least the
	 * lease. Written as {@link #expireString} is. Refused where nothing is renewed. By
	 * default the property {@code distributed-lock.max-hold}, which is unlimited.
	 * @return the limit; empty for the default
	 */
	String maxHold() default "";

	/**
	 * Whom the lock shuts out. A call that has it as a reader and wants it as a writer
	 * gets a {@link LockUpgradeException}.
	 * @return by default {@link LockType#EXCLUSIVE}: everybody
	 */
	LockType type() default LockType.EXCLUSIVE;

	/**
	 * How many calls may run at once. Above 1 it is a {@link DistributedSemaphore}
	 * instead of a lock: each call holds a permit of its own, also one within another,
	 * and waiters are served by arrival. All that use a key should say the same number.
	 * Not together with a {@link #type}.
	 * @return the number of permits, at least 1; by default 1: a lock
	 */
	int permits() default 1;

	/**
	 * Whether waiters of all instances get the lock strictly in the order of their
	 * arrival, which is slower. All that use a key must agree.
	 * @return {@code false} by default: in the order of arrival within an instance, and
	 * by turns between instances
	 */
	boolean fair() default false;

	/**
	 * A SpEL expression that is evaluated before the key, and must give a boolean. If it
	 * gives {@code false}, the method runs without this lock.
	 * @return the condition; empty for always
	 */
	String condition() default "";

	/**
	 * How long the lock is kept at least, counted from its acquisition, also when the
	 * method is over sooner: so that a job runs once although the clocks of the instances
	 * differ, or a method not more often than that. Nobody waits for it. Written as
	 * {@link #expireString} is; zero or positive, and not above the lease of a lock that
	 * is not renewed.
	 * @return the minimum; empty for none
	 */
	String minHold() default "";

	/**
	 * How long this instance retains the lock on the server after a call, if nobody waits
	 * for it: its next call needs no command, and another instance that asks for the lock
	 * gets it. A hand-written {@code SET NX} on the same key cannot ask, and
	 * {@link DistributedLock#isLocked()} of another instance does not: for both, the lock
	 * is held for up to this time. Written as {@link #expireString} is; from zero, which
	 * retains nothing, to 365 days, and never beyond the lease.
	 *
	 * <p>
	 * More than zero requires an exclusive lock that is renewed and not fair, as the only
	 * annotation of the method, and a store whose instances can ask each other; anything
	 * else is refused at start. There, the default does not apply. A call that has
	 * several locks, because a part of its key is a collection, retains none of them.
	 * @return the time; empty for the property {@code distributed-lock.retain}, which is
	 * 0
	 */
	String retain() default "";

	/**
	 * What happens when another owner holds the lock until the wait is over. A failing
	 * store or a key that cannot be built is an exception either way. All annotations of
	 * a method that say anything must say the same.
	 * @return the outcome; by default the property {@code distributed-lock.on-failure},
	 * which is {@link OnFailure#THROW}. A method that is also {@code @Scheduled} skips by
	 * default
	 */
	OnFailure onFailure() default OnFailure.DEFAULT;

	/**
	 * The method to call when another owner holds the lock until the wait is over:
	 * {@code method} of the same object, or {@code bean::method}. It takes the same
	 * arguments, optionally followed by the {@link LockNotAcquiredException}, and returns
	 * what can be returned in place of the annotated method's result. It runs without a
	 * lock. Not together with {@link #onFailure}.
	 * @return the fallback; empty for none
	 */
	String fallback() default "";

	/**
	 * The name of a {@link LockFailureHandler} bean that decides when another owner holds
	 * the lock until the wait is over. Not together with {@link #onFailure} or
	 * {@link #fallback}.
	 * @return the name of the bean; empty for none
	 */
	String failureHandler() default "";

	/**
	 * What happens when the lock is lost while the method runs.
	 * @return by default {@link OnLost#WARN}: a log entry
	 */
	OnLost onLost() default OnLost.WARN;

	/**
	 * When the lock is given back if the caller has a transaction already. All
	 * annotations of a method that say anything must say the same.
	 * @return by default the property {@code distributed-lock.in-transaction}, which is
	 * {@link InTransaction#KEEP}
	 */
	InTransaction inTransaction() default InTransaction.DEFAULT;

	/**
	 * The name of the {@link DistributedLocks} bean that has the lock, where there are
	 * several.
	 * @return the name of the bean; empty for the one and only, or the primary one
	 */
	String locks() default "";

	/**
	 * What meters, events and messages call the lock: one name for all keys, therefore
	 * not computed.
	 * @return the name; by default {@code Type.method}
	 */
	String name() default "";

}
