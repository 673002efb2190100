/** Which classes are rewritten, and how. */
@NullMarked
package io.polder.agent.rewrite;

import org.jspecify.annotations.NullMarked;
