/**
 * The advisor and the aspect that run annotated methods under their locks, their order
 * among retries and transactions, and the validation of annotated beans at startup.
 *
 * @since 0.1.0
 */
@NullMarked
package io.lockable.spring.aop;

import org.jspecify.annotations.NullMarked;
