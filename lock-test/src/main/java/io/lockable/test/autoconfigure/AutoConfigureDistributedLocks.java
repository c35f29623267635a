package io.lockable.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Gives a test distributed locks in memory, on a clock that the test moves: for
 * {@code @SpringBootTest}, and for slices that leave other auto-configurations out.
 *
 * <pre class="code">
 * &#064;SpringBootTest
 * &#064;AutoConfigureDistributedLocks
 * class CheckoutTests {
 *
 *     &#064;Autowired
 *     private LockTestClock clock;
 *
 *     &#064;Autowired
 *     private LockFaults faults;
 *
 * }
 * </pre>
 *
 * <p>
 * The locks take the place of those on Redis, whatever the properties say. Where the
 * application has a {@link io.lockable.store.LockStore} bean of its own, that is kept,
 * time is real, and there is no {@link io.lockable.test.LockTestClock}. Where it has a
 * {@link io.lockable.LockClock} of its own, that is the clock of the locks.
 *
 * <p>
 * After each test method {@link io.lockable.test.LockFaults#heal() faults are healed},
 * waits are {@linkplain io.lockable.test.LockTestClock#keepWaits() kept} and a minute is
 * let pass, so that what was left undone is done before the next.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureDistributedLocks {

}
