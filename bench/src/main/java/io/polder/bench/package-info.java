/** JMH benchmarks of arenas: Polder against the JDK, a calloc arena, LWJGL and Netty. */
@NullMarked
package io.polder.bench;

import org.jspecify.annotations.NullMarked;
