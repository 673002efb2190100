/**
 * Leaks: what was opened, became unreachable, and was never closed.
 *
 * <p>Knows {@code io.polder.event} and {@code io.polder.background}. Start with {@link
 * io.polder.leak.LeakDetector}.
 */
package io.polder.leak;
