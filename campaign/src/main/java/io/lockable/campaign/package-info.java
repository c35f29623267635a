/**
 * A campaign that tries to break locks by faults, and proves from histories whether it
 * did.
 */
@NullMarked
package io.lockable.campaign;

import org.jspecify.annotations.NullMarked;
