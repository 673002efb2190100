/**
 * What gates cost, and a heap whose objects move while they are used: {@code polder lab
 * evacuation}.
 */
@NullMarked
package io.polder.lab.experiments.evacuation;

import org.jspecify.annotations.NullMarked;
