package io.lockable.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;

import org.springframework.core.annotation.AliasFor;

/**
 * A scheduled job that starts on every instance and runs on one of them. The other
 * instances skip it without waiting. The annotation is a {@link DistributedLockable} with
 * no wait time, {@link OnFailure#SKIP}, and a {@link #minHold}. The lock is never
 * retained. <pre class="code">
 * &#064;Scheduled(cron = "0 0 2 * * *")
 * &#064;ScheduledLock(key = "nightly-report", minHold = "1m")
 * public void report() { … }
 * </pre>
 *
 * @since 0.1.0
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLockable(waitTime = 0, onFailure = OnFailure.SKIP, retain = "0s")
public @interface ScheduledLock {

	/**
	 * Alias for {@link #key}.
	 * @return the key, in one or several parts
	 */
	@AliasFor(annotation = DistributedLockable.class, attribute = "key")
	String[] value() default {};

	/**
	 * The key of the lock, as in {@link DistributedLockable#key()}. Jobs with the same
	 * key exclude each other.
	 * @return the key, in one or several parts
	 */
	@AliasFor(annotation = DistributedLockable.class, attribute = "key")
	String[] key() default {};

	/**
	 * The minimum time that the lock stays held, as in
	 * {@link DistributedLockable#minHold()}. It should exceed the clock difference of the
	 * instances. Otherwise an instance whose clock is behind may run a short job again.
	 * It should be shorter than the time between two runs. Otherwise runs are skipped.
	 * @return the minimum; {@code 1s} by default
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String minHold() default "1s";

	/**
	 * The limit of renewal, as in {@link DistributedLockable#maxHold()}. After this time,
	 * a hanging job no longer prevents other instances from running it.
	 * @return the limit; empty for the default
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String maxHold() default "";

	/**
	 * The prefix of the key in the store, as in {@link DistributedLockable#prefix()}.
	 * @return the prefix; empty for the default
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String prefix() default "";

	/**
	 * The condition for locking, as in {@link DistributedLockable#condition()}.
	 * @return the condition; empty for always
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String condition() default "";

	/**
	 * The reaction to a loss of the lock while the job runs, as in
	 * {@link DistributedLockable#onLost()}.
	 * @return by default {@link OnLost#WARN}: a warning in the log
	 */
	@AliasFor(annotation = DistributedLockable.class)
	OnLost onLost() default OnLost.WARN;

	/**
	 * The name of the lock in metrics, events and logs, as in
	 * {@link DistributedLockable#name()}.
	 * @return the name; by default {@code Type.method}
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String name() default "";

}
