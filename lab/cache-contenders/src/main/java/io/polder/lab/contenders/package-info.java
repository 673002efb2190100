/** Other off-heap caches behind the lab's interface, each used as its documentation says. */
@NullMarked
package io.polder.lab.contenders;

import org.jspecify.annotations.NullMarked;
