/** An allocator of Netty's buffers that stands on Polder. */
@NullMarked
package io.polder.netty;

import org.jspecify.annotations.NullMarked;
