/**
 * The rules for the histories of a round. Pure functions without a clock, a server or a
 * file.
 */
@NullMarked
package io.lockable.campaign.check;

import org.jspecify.annotations.NullMarked;
