/** What every experiment has: a name, metrics, a table, progress. */
@NullMarked
package io.polder.lab.experiment;

import org.jspecify.annotations.NullMarked;
