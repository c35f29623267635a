package io.lockable.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockable.DistributedLockable;
import io.lockable.OnFailure;
import io.lockable.OnLost;

import org.springframework.core.annotation.AliasFor;

/**
 * A job that every instance starts and one instance does: the others skip it at once. A
 * {@link DistributedLockable} with no wait, {@link OnFailure#SKIP}, and a
 * {@link #minHold}. The lock is never retained.
 *
 * <pre class="code">
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
	 * How long the lock is kept at least, as in {@link DistributedLockable#minHold()}. It
	 * should be more than the clocks of the instances can differ, or a job that is done
	 * sooner is done again by an instance whose clock is behind; and less than the time
	 * from one run to the next, or runs are left out.
	 * @return the minimum, a second by default
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String minHold() default "1s";

	/**
	 * How long renewal keeps the lock at most, as in
	 * {@link DistributedLockable#maxHold()}: a job that hangs then no longer keeps the
	 * other instances from running it.
	 * @return the limit; empty for the default
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String maxHold() default "";

	/**
	 * What stands before the key in the store, as in
	 * {@link DistributedLockable#prefix()}.
	 * @return the prefix; empty for the default
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String prefix() default "";

	/**
	 * Whether to lock, as in {@link DistributedLockable#condition()}.
	 * @return the condition; empty for always
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String condition() default "";

	/**
	 * What happens when the lock is lost while the job runs, as in
	 * {@link DistributedLockable#onLost()}.
	 * @return by default {@link OnLost#WARN}: a log entry
	 */
	@AliasFor(annotation = DistributedLockable.class)
	OnLost onLost() default OnLost.WARN;

	/**
	 * What metrics, events and logs call the lock, as in
	 * {@link DistributedLockable#name()}.
	 * @return the name; by default {@code Type.method}
	 */
	@AliasFor(annotation = DistributedLockable.class)
	String name() default "";

}
