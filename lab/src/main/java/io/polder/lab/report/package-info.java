/**
 * What an experiment found, as {@link io.polder.lab.report.Report}, and its three forms: text, JSON
 * and a section of a page.
 */
@NullMarked
package io.polder.lab.report;

import org.jspecify.annotations.NullMarked;
