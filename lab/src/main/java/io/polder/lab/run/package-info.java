/** {@code polder run}: a Java command with the agent. */
@NullMarked
package io.polder.lab.run;

import org.jspecify.annotations.NullMarked;
