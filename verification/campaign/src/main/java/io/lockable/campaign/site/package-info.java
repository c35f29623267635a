/**
 * The servers, workers and resource of one contestant, and the rounds on them.
 */
@NullMarked
package io.lockable.campaign.site;

import org.jspecify.annotations.NullMarked;
