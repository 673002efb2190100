/** What rewritten code calls; defined inside the JDK under another name. */
@NullMarked
package io.polder.agent.bridge;

import org.jspecify.annotations.NullMarked;
