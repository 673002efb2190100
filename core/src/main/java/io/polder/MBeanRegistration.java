package io.polder;

import io.polder.event.JdkClass;
import io.polder.event.Printable;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether a pool is registered as an MXBean.
 *
 * <pre>{@code
 *   not yet --begin--> under way ----> registered --end--> over
 *      |   <--error---   |                                ^
 *      |                   +--closed: over once it is done--+
 *      +----------------------closed------------------------+
 * }</pre>
 *
 * <p>Knows no class of module {@code java.management}, which a program may not have or not see:
 * what does is {@link PlatformMBeans}, used only where {@link #isPossible}.
 *
 * <p>Thread-safe. Who registers looks afterwards whether the pool was closed, and who closes it
 * says so before he looks for the name: so one of the two ends what was begun. No lock is held, as
 * the MBean server runs listeners of the program.
 */
final class MBeanRegistration {
    private static final boolean WANTED = !"false".equals(System.getProperty("polder.mxbean"));

    private final AtomicBoolean begun = new AtomicBoolean();

    /** The name it is registered by; null if it is not. */
    private volatile @Nullable Object name;

    /** Whether this program can have MXBeans, and wants them. */
    static boolean isPossible() {
        return WANTED
                && JdkClass.isVisible("javax.management.MBeanServer")
                && JdkClass.isVisible("javax.management.openmbean.CompositeData");
    }

    /** Registers a pool, unless that was done, or the pool is closed. */
    void begin(PoolMemory pool) {
        if (pool.closed || !begun.compareAndSet(false, true)) {
            return;
        }
        try {
            name = PlatformMBeans.register(pool);
        } catch (Exception refused) { // whatever comes of it: not again each second
            warn("a pool cannot be registered as an MXBean: name=", pool.name(), refused);
        } catch (VirtualMachineError cutOff) {
            begun.set(false); // for the next step, which a failed one has
            throw cutOff;
        }
        if (pool.closed) {
            end();
        }
    }

    /** Ends the registration, if there is one, for good. What is cut short may be done again. */
    void end() {
        Object registered = name;
        if (registered != null) {
            try {
                PlatformMBeans.unregister(registered);
            } catch (Exception refused) {
                warn("a pool stays registered as an MXBean: name=", registered.toString(), refused);
            }
            name = null;
        }
    }

    private static void warn(String what, String name, Exception refused) {
        System.getLogger("io.polder").log(Level.WARNING, what + Printable.of(name), refused);
    }
}
