/**
 * The rules that the histories of a round must keep. Pure: no clock, no server, no file.
 */
@NullMarked
package io.lockable.campaign.check;

import org.jspecify.annotations.NullMarked;
