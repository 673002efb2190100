/** Native memory in pages of 2 MiB and more: taken fast in any size, and given back. */
@NullMarked
package io.polder.page;

import org.jspecify.annotations.NullMarked;
