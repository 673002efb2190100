package io.polder;

import io.polder.arena.SlabMemory;
import io.polder.arena.SlabSettings;
import io.polder.memory.AmpleStack;
import io.polder.memory.ProviderChoice;
import io.polder.memory.Providers;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The pool of this process, and the settings that it was made with.
 *
 * <p><b>Failure.</b> It is made when it is first asked for, on an {@link AmpleStack}. If that is
 * cut off by an error, the next one who asks makes it. So neither this class nor {@link MemoryPool}
 * has a static initialiser, which would be cut off for good.
 *
 * <p>{@link Constant} has one, because compilers take for a constant only what a static initialiser
 * has set. If that one is cut off, what it would be is had {@linkplain #get from here}, which takes
 * a few nanoseconds more.
 *
 * @param pool the pool
 * @param settings what applies where a pool is not built otherwise
 */
record CommonPool(MemoryPool pool, PoolSettings settings) {
    private static volatile @Nullable CommonPool made;

    /** What arenas of the common pool are made on; null if they are the JDK's. */
    static final class Constant {
        static final @Nullable SlabMemory SLABS = get().slabs();

        private Constant() {}
    }

    /** The one of this process. */
    static CommonPool get() {
        CommonPool common = made;
        return common == null ? make() : common;
    }

    @Nullable SlabMemory slabs() {
        return pool.slabs();
    }

    private static synchronized CommonPool make() {
        CommonPool common = made;
        if (common == null) {
            // No lambda: the first one of a JVM is better made on ample stack, too.
            common =
                    AmpleStack.call(
                            new Supplier<>() {
                                @Override
                                public CommonPool get() {
                                    return read();
                                }
                            });
            made = common;
        }
        return common;
    }

    private static CommonPool read() {
        Initialisation.ofPools();
        List<String> complaints = new ArrayList<>();
        SlabSettings slabs =
                SlabSettings.parse(
                        System.getProperty(SlabSettings.SIZE_PROPERTY),
                        System.getProperty(SlabSettings.COUNT_PROPERTY),
                        complaints);
        LeakDetection leaks =
                LeakDetection.parse(System.getProperty(LeakDetection.PROPERTY), complaints);
        ProviderChoice choice = Providers.choose();
        if (!choice.nativeAccess() && slabs.enabled()) {
            complaints.add("arenas are the JDK's, not pooled: " + choice.reason());
        }
        PoolBackground.complain(complaints);
        PoolSettings settings = PoolSettings.defaults("common", slabs, leaks);
        return new CommonPool(new MemoryPool(choice, settings), settings);
    }

    /** Creates another pool, likewise on ample stack. */
    static MemoryPool create(ProviderChoice choice, PoolSettings settings) {
        return AmpleStack.call(
                new Supplier<>() {
                    @Override
                    public MemoryPool get() {
                        return new MemoryPool(choice, settings);
                    }
                });
    }
}
