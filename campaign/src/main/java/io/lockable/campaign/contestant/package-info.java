/**
 * The locks under test, behind one interface: ours, the peers, and five that are wrong on
 * purpose.
 */
@NullMarked
package io.lockable.campaign.contestant;

import org.jspecify.annotations.NullMarked;
