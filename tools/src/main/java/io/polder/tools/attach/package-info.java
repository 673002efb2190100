/** Looking into a JVM that runs: what all commands need that do, and the census. */
@NullMarked
package io.polder.tools.attach;

import org.jspecify.annotations.NullMarked;
