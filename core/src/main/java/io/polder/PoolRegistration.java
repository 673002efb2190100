package io.polder;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;

/**
 * Whether a pool is registered as an MXBean.
 *
 * <pre>{@code
 *   not yet --begin--> registered --end--> over
 *      +----------------- end --------------^
 * }</pre>
 *
 * <p>Knows no class of module {@code java.management}, which a program may not have: what does is
 * {@link PoolRegistry}, used only where {@link #isPossible}.
 *
 * <p>Thread-safe: guarded by its monitor, under which the MBean server is called; no lock of
 * Polder's is held by the callers, nor taken inside.
 */
final class PoolRegistration {
    private static final String PROPERTY = "polder.mxbean";

    private boolean over;

    /** The name it is registered by; null if it is not. */
    private @Nullable Object name;

    /** Whether this program can have MXBeans, and wants them. */
    static boolean isPossible() {
        return !"false".equals(System.getProperty(PROPERTY))
                && ModuleLayer.boot()
                        .findModule("java.management")
                        .map(PoolRegistration.class.getModule()::canRead)
                        .orElse(false);
    }

    /** Registers a pool, unless that was done, or is over. */
    synchronized void begin(PoolMemory pool) {
        if (name != null || over) {
            return;
        }
        try {
            name = PoolRegistry.register(pool);
        } catch (Exception refused) {
            over = true; // and not again each second
            System.getLogger("io.polder")
                    .log(
                            Level.WARNING,
                            "a pool cannot be registered as an MXBean: name=" + pool.name(),
                            refused);
        }
    }

    /** Ends the registration, if there is one, for good. */
    synchronized void end() {
        over = true;
        if (name != null) {
            PoolRegistry.unregister(name);
            name = null;
        }
    }
}
