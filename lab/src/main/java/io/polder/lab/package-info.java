/** The experiments of the polder command. */
@NullMarked
package io.polder.lab;

import org.jspecify.annotations.NullMarked;
