/**
 * The locks under test, behind one interface: those of this project, the peers, and five
 * deliberately wrong locks.
 */
@NullMarked
package io.lockable.campaign.contestant;

import org.jspecify.annotations.NullMarked;
