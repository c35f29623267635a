package io.lockable.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Configures distributed locks in memory for a test, on a clock that the test moves. Use
 * it with {@code @SpringBootTest}, and with slices that exclude other
 * auto-configurations. <pre class="code">
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
 * The locks replace those on Redis, independent of the properties. A
 * {@link io.lockable.store.LockStore} bean of the application is kept; time is then real,
 * and there is no {@link io.lockable.test.LockTestClock}. A
 * {@link io.lockable.engine.runtime.EngineRuntime} bean of the application is used for
 * the locks.
 *
 * <p>
 * After each test method, {@link io.lockable.test.LockFaults#heal() faults are healed},
 * and waits are {@linkplain io.lockable.test.LockTestClock#keepWaits() kept}. The clock
 * then advances by a minute, so that pending work is done before the next test.
 *
 * <p>
 * A test fails if it nests locks in an order that contradicts an earlier one in the same
 * application context, as {@link io.lockable.test.LockOrder} describes. The property
 * {@code lockable.test.lock-order} is {@code fail} by default, {@code warn} or
 * {@code off}.
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
