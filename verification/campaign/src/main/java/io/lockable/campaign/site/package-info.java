/**
 * The servers, and the workers and the resource that use them.
 */
@NullMarked
package io.lockable.campaign.site;

import org.jspecify.annotations.NullMarked;
