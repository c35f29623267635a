/**
 * The JVMs that contend for locks, and how the campaign talks to them.
 */
@NullMarked
package io.lockable.campaign.worker;

import org.jspecify.annotations.NullMarked;
