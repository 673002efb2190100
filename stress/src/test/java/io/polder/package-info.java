/** Tests of what pools are tried with. */
@NullMarked
package io.polder;

import org.jspecify.annotations.NullMarked;
