/** What pages cost a heap that is never at rest: {@code polder lab pages}. */
@NullMarked
package io.polder.lab.pages;

import org.jspecify.annotations.NullMarked;
