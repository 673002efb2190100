package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.arena.SlabSettings;
import io.polder.memory.DeepStackRunner;
import io.polder.memory.MemoryLimits;
import io.polder.memory.ProcessFence;
import io.polder.memory.ProviderChoice;
import io.polder.memory.Providers;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The pool of this process, and the settings of those that are not built otherwise.
 *
 * <pre>{@code
 *   nothing --an arena--> beginning --many arenas, or a second--> pooled
 *      |                  BootstrapArenas                               ^
 *      +--somebody asks for the pool, or something is set-----------+
 * }</pre>
 *
 * <p>How confined arenas are opened is the target of a call site, which compilers take for a
 * constant until it is another. No branch: one that was taken in the beginning would stay in a
 * profile that the whole program shares, and where an arena may be of two kinds none disappears any
 * more.
 *
 * <p><b>Failure.</b> The pool is made when it is first needed, by a {@link DeepStackRunner}. If an
 * error comes in the middle, the next one who asks makes it. So neither this class nor {@link
 * MemoryPool} has a static initialiser, which would fail for good.
 *
 * <p>{@link Opening} has one, because compilers take for a constant only what a static initialiser
 * has set. If that is cut short, arenas are opened {@linkplain #openFirst from here}, which takes a
 * few nanoseconds more.
 */
final class CommonPool {
    static volatile @Nullable MemoryPool made;
    private static volatile @Nullable BootstrapArenas first;
    private static @Nullable PoolSettings defaults;

    /** Whether {@link Opening#SITE} leads to the pool; guarded by the monitor. */
    private static boolean turned;

    private CommonPool() {}

    /**
     * How confined arenas are opened: as the target does, which is asked for each time. The invoker
     * of a call site does the same, and classes would be generated for it.
     */
    static final class Opening {
        static final MutableCallSite SITE = opening();

        private Opening() {}
    }

    /** The one of this process. */
    static MemoryPool get() {
        MemoryPool common = made;
        return common == null ? make() : common;
    }

    /** Opens a confined arena: one of the first ones, or on the pool. */
    static Arena openFirst() {
        Arena arena = first().openConfined();
        if (arena != null) {
            return arena;
        }
        ArenaFactory arenas = get().memory.arenas;
        if (arenas == null) {
            return Arena.ofConfined();
        }
        turn();
        return arenas.openConfined();
    }

    /**
     * Opens a confined arena for a caller that was not led here.
     *
     * @param thrown what was thrown instead: rethrown, if not for want of {@link Opening}
     */
    static Arena openInstead(Throwable thrown) {
        if (thrown instanceof NoClassDefFoundError) {
            return openFirst();
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        throw new AssertionError("opening an arena throws no checked exception", thrown);
    }

    /** For {@link Opening}, which asks once. */
    private static MutableCallSite opening() {
        return DeepStackRunner.call(
                new Supplier<>() {
                    @Override
                    public MutableCallSite get() {
                        return new MutableCallSite(handle(null));
                    }
                });
    }

    /** Opens confined arenas on the pool, as a constant, from now on, if they are not yet. */
    private static synchronized void turn() {
        ArenaFactory arenas = get().memory.arenas; // as it is now: who changes it waits for this
        if (!turned && arenas != null) {
            lead(arenas);
        }
    }

    /**
     * Opens confined arenas in another way from now on, as a constant again.
     *
     * @param memory that of any pool; nothing is done for others than the common one
     * @param arenas what opens them
     */
    static synchronized void changed(PoolMemory memory, ArenaFactory arenas) {
        MemoryPool common = made;
        if (turned && common != null && common.memory == memory) {
            lead(arenas); // a thread that turns to the pool finds what has changed
        }
    }

    private static void lead(ArenaFactory arenas) {
        try {
            turned =
                    DeepStackRunner.call(
                            new Supplier<>() {
                                @Override
                                public Boolean get() {
                                    Opening.SITE.setTarget(handle(arenas));
                                    MutableCallSite.syncAll(new MutableCallSite[] {Opening.SITE});
                                    return true;
                                }
                            });
        } catch (LinkageError cutOff) {
            turned = true; // it never can be: each is opened from here
        }
    }

    /** What opens an arena by a factory, or one of the first where there is none. */
    private static MethodHandle handle(@Nullable ArenaFactory arenas) {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType opens = MethodType.methodType(Arena.class);
        try {
            return arenas == null
                    ? lookup.findStatic(CommonPool.class, "openFirst", opens)
                    : lookup.findVirtual(ArenaFactory.class, "openConfined", opens).bindTo(arenas);
        } catch (ReflectiveOperationException renamed) {
            throw new LinkageError("the way to open arenas must be found", renamed);
        }
    }

    /** The first arenas of the process, of which none may be left. */
    static BootstrapArenas first() {
        BootstrapArenas found = first;
        return found == null ? makeFirst(true) : found;
    }

    /** Once; none are begun where somebody makes the pool. */
    private static synchronized BootstrapArenas makeFirst(boolean wanted) {
        BootstrapArenas found = first;
        if (found == null) {
            // No lambda: the first one of a JVM is better made on ample stack, too.
            found =
                    DeepStackRunner.call(
                            new Supplier<>() {
                                @Override
                                public BootstrapArenas get() {
                                    return BootstrapArenas.begin(wanted);
                                }
                            });
            first = found;
        }
        return found;
    }

    private static synchronized MemoryPool make() {
        MemoryPool common = made;
        if (common == null) {
            BootstrapArenas before = makeFirst(false);
            common = create(Providers.choose(), defaults(), before);
            made = common;
            before.end(); // if this is cut short, there are some more
        }
        return common;
    }

    /** What applies where a pool is not built otherwise. Reading it makes no pool. */
    static synchronized PoolSettings defaults() {
        PoolSettings found = defaults;
        if (found == null) {
            found =
                    DeepStackRunner.call(
                            new Supplier<>() {
                                @Override
                                public PoolSettings get() {
                                    return read();
                                }
                            });
            defaults = found;
        }
        return found;
    }

    private static PoolSettings read() {
        List<String> complaints = new ArrayList<>();
        SlabSettings slabs =
                SlabSettings.parse(
                        System.getProperty(SlabSettings.SIZE_PROPERTY),
                        System.getProperty(SlabSettings.COUNT_PROPERTY),
                        complaints);
        LeakDetection leaks = LeakDetection.read(complaints);
        String check =
                PoolSettings.word(PoolSettings.BLOCKS_CHECK_PROPERTY, complaints, "off", "on");
        String clear = PoolSettings.word(PoolSettings.CLEAR_PROPERTY, complaints, "use", "close");
        String _ = PoolSettings.word(ProcessFence.PROPERTY, complaints, "auto", "handshake");
        String wrong = Providers.complaint();
        if (wrong != null) {
            complaints.add(wrong);
        }
        ProviderChoice choice = Providers.choose();
        if (!choice.nativeAccess() && slabs.enabled()) {
            complaints.add("arenas are the JDK's, not pooled: ".concat(choice.reason()));
        }
        PoolBackground.complain(complaints);
        return new PoolSettings(
                "common",
                MemoryLimits.NONE,
                PoolSettings.DECAY_DEFAULT,
                false,
                false,
                slabs,
                leaks,
                check.equals("on"),
                clear.equals("close"));
    }

    /**
     * Creates a pool.
     *
     * @param choice where memory comes from, and whether arenas may use it by address
     * @param settings what it was built with; arenas are the JDK's if slabs are off
     * @param beginning arenas that are counted with it; null if it is not the common pool
     */
    static MemoryPool create(
            ProviderChoice choice, PoolSettings settings, @Nullable BootstrapArenas beginning) {
        return DeepStackRunner.call(
                new Supplier<>() {
                    @Override
                    public MemoryPool get() {
                        ClassPreloader.ofPools();
                        return new MemoryPool(
                                new PoolMemory(
                                        choice,
                                        settings,
                                        PoolBackground.INSTANCE,
                                        PoolBackground.closing(),
                                        beginning));
                    }
                });
    }
}
