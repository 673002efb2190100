/** Meters of Polder's pools for Micrometer. */
@NullMarked
package io.polder.micrometer;

import org.jspecify.annotations.NullMarked;
