/** How much of a budget is of use after its memory was cut into small pieces and freed. */
@NullMarked
package io.polder.lab.experiments.fragmentation;

import org.jspecify.annotations.NullMarked;
