/**
 * What the reports of several programs have in common.
 */
@NullMarked
package io.lockable.harness.report;

import org.jspecify.annotations.NullMarked;
