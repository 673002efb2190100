/**
 * Rules about the whole repository, run by tests: form, size, links, arrows, and the launcher.
 *
 * <p>A rule is a function from a {@link io.polder.tidy.Tree} to violations. Each has two tests: one
 * that the repository obeys it, and a canary, which shows that it catches what it is for.
 */
@NullMarked
package io.polder.tidy;

import org.jspecify.annotations.NullMarked;
