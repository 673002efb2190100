/** What another program's allocations, taken from its log, cost in Polder. */
@NullMarked
package io.polder.lab.replay;

import org.jspecify.annotations.NullMarked;
