/** Where a result was measured, and how it is written down. */
@NullMarked
package io.polder.tools.result;

import org.jspecify.annotations.NullMarked;
