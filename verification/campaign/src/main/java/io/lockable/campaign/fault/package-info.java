/**
 * The faults: their prerequisites, injection and healing.
 */
@NullMarked
package io.lockable.campaign.fault;

import org.jspecify.annotations.NullMarked;
