/**
 * The faults: what each one needs, breaks and heals.
 */
@NullMarked
package io.lockable.campaign.fault;

import org.jspecify.annotations.NullMarked;
