/**
 * The held and requested locks of one instance or of all, for operators.
 */
@NullMarked
package io.lockable.engine.inspection;

import org.jspecify.annotations.NullMarked;
