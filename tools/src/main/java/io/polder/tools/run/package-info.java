/** {@code polder run}: a Java command with the agent. */
@NullMarked
package io.polder.tools.run;

import org.jspecify.annotations.NullMarked;
