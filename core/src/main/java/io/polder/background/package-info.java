/**
 * A thread for what pools do beside their callers.
 *
 * <p>Imports nothing of Polder. Start with {@link io.polder.background.Background}.
 */
package io.polder.background;
