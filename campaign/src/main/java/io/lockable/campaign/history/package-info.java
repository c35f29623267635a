/**
 * What workers and the resource wrote down, and the acquisitions that follow from it.
 */
@NullMarked
package io.lockable.campaign.history;

import org.jspecify.annotations.NullMarked;
