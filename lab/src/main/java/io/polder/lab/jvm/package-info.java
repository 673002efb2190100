/** Fresh JVMs in which experiments measure. */
@NullMarked
package io.polder.lab.jvm;

import org.jspecify.annotations.NullMarked;
