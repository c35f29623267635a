/**
 * The records of workers and of the resource, and the acquisitions derived from them.
 */
@NullMarked
package io.lockable.campaign.history;

import org.jspecify.annotations.NullMarked;
