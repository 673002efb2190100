/** Commands that look into a JVM that runs. */
@NullMarked
package io.polder.lab.attach;

import org.jspecify.annotations.NullMarked;
