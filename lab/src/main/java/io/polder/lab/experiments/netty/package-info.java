/** {@code polder lab netty}: Netty's buffers, and a server whose buffers they are. */
@NullMarked
package io.polder.lab.experiments.netty;

import org.jspecify.annotations.NullMarked;
