package io.polder;

import io.polder.event.JdkClass;
import io.polder.event.Printable;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;

/**
 * Whether a pool is registered as an MXBean.
 *
 * <pre>{@code
 *   not yet --begin--> under way ----> registered --end--> over
 *      |                   |                                ^
 *      |                   +--end: over once it is done-----+
 *      +----------------------end---------------------------+
 * }</pre>
 *
 * <p>Knows no class of module {@code java.management}, which a program may not have or not see:
 * what does is {@link PlatformMBeans}, used only where {@link #isPossible}.
 *
 * <p>Thread-safe: the fields are guarded by its monitor. The MBean server is called without it,
 * since that runs listeners of the program.
 */
final class MBeanRegistration {
    private static final boolean WANTED = !"false".equals(System.getProperty("polder.mxbean"));

    private boolean begun;
    private boolean over;

    /** The name it is registered by; null if it is not. */
    private @Nullable Object name;

    /** Whether this program can have MXBeans, and wants them. */
    static boolean isPossible() {
        return WANTED
                && JdkClass.isVisible("javax.management.MBeanServer")
                && JdkClass.isVisible("javax.management.openmbean.CompositeData");
    }

    /** Registers a pool, unless that was done, or is over. */
    void begin(PoolMemory pool) {
        synchronized (this) {
            if (begun || over) {
                return;
            }
            begun = true; // whatever comes of it: not again each second
        }
        Object registered;
        try {
            registered = PlatformMBeans.register(pool);
        } catch (Exception refused) {
            warn("a pool cannot be registered as an MXBean: name=", pool.name(), refused);
            return;
        }
        boolean ended;
        synchronized (this) {
            ended = over;
            name = ended ? null : registered;
        }
        if (ended) {
            unregister(registered);
        }
    }

    /** Ends the registration, if there is one, for good. What is cut short may be done again. */
    void end() {
        Object registered;
        synchronized (this) {
            over = true;
            registered = name;
        }
        if (registered != null) {
            unregister(registered);
            synchronized (this) {
                name = null;
            }
        }
    }

    private static void unregister(Object registered) {
        try {
            PlatformMBeans.unregister(registered);
        } catch (Exception refused) {
            warn("a pool stays registered as an MXBean: name=", registered.toString(), refused);
        }
    }

    private static void warn(String what, String name, Exception refused) {
        System.getLogger("io.polder").log(Level.WARNING, what + Printable.of(name), refused);
    }
}
