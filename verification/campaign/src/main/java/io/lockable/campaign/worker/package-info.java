/**
 * The JVMs that contend for locks, and their protocol with the campaign.
 */
@NullMarked
package io.lockable.campaign.worker;

import org.jspecify.annotations.NullMarked;
