/**
 * The results as Markdown, JSON and SVG.
 */
@NullMarked
package io.lockable.campaign.report;

import org.jspecify.annotations.NullMarked;
