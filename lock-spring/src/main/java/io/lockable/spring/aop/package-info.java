/**
 * The advisor and the aspect that run annotated methods under their locks, and their
 * order among retries and transactions.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.aop;

import org.jspecify.annotations.NullMarked;
