/** Tests of what throws everywhere. */
@NullMarked
package io.polder.stress.everywhere;

import org.jspecify.annotations.NullMarked;
