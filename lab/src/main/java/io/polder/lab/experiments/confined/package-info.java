/** The confined experiment: what a confined arena costs, against the JDK's own. */
@NullMarked
package io.polder.lab.experiments.confined;

import org.jspecify.annotations.NullMarked;
