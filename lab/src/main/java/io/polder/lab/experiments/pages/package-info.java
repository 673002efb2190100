/** What pages cost a heap that is never at rest: {@code polder lab pages}. */
@NullMarked
package io.polder.lab.experiments.pages;

import org.jspecify.annotations.NullMarked;
