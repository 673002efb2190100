/** What another program's allocations, taken from its log, cost in Polder. */
@NullMarked
package io.polder.lab.experiments.replay;

import org.jspecify.annotations.NullMarked;
