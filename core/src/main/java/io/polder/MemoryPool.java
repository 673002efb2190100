package io.polder;

import io.polder.arena.SlabCounts;
import io.polder.arena.SlabMemory;
import io.polder.arena.SlabSettings;
import io.polder.memory.ProviderChoice;
import io.polder.memory.Providers;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Native memory for arenas that open and close often.
 *
 * <p>{@link #ofConfined()} and {@link #ofShared()} stand in for {@link Arena#ofConfined()} and
 * {@link Arena#ofShared()}. The arenas they open keep the whole contract of the JDK's: memory reads
 * as zero, segments are aligned and never overlap, bounds, lifetime and thread are checked by the
 * JDK, with its exceptions. What differs is where the bytes come from: from a <em>slab</em> that
 * the thread keeps at hand, cleared when the arena closes, instead of {@code malloc} and {@code
 * free}.
 *
 * {@snippet class="PoolSnippets" region="greeting"}
 *
 * <h2>What is pooled</h2>
 *
 * <p>Each platform thread keeps up to 8 slabs of 16 KiB, of which only the OS pages that were used
 * have memory behind them. Virtual threads exchange slabs, and keep none. A thread that ends gives
 * its slabs back. What does not fit what is left of an arena's slab comes from the JDK's arena, as
 * without Polder.
 *
 * <p>Addresses are used again soon after an arena closed, and allocations of one arena lie next to
 * each other: native code that keeps a pointer too long, or writes past the end, harms the next
 * user sooner than with {@code malloc}. Memory is aligned to 16 bytes at least, as by {@code
 * malloc}, but cannot be passed to {@code free}.
 *
 * <h2>Settings</h2>
 *
 * <p>System properties, read once, when this class is first used:
 *
 * <ul>
 *   <li>{@code polder.confined.slab.size}: bytes in a slab, a power of two from 64 to 1048576;
 *       16384 if not set.
 *   <li>{@code polder.confined.slab.count}: slabs that a platform thread keeps, a power of two up
 *       to 64; 8 if not set.
 * </ul>
 *
 * <p>Either of them 0 turns pooling off: all arenas are then the JDK's. A value that breaks its
 * rule is not used, and a warning is logged by the logger {@code io.polder}.
 *
 * <h2>Native access</h2>
 *
 * <p>Pooling needs native access for module {@code io.polder} ({@code --enable-native-access}).
 * Where it is denied, all arenas are the JDK's, and that is logged once. {@link #stats} says
 * which of these is the case.
 *
 * <p>Thread-safe.
 */
public final class MemoryPool {
    private static final MemoryPool COMMON = createCommon();

    /** What {@link #COMMON} has: compilers take it for a constant here, but not as its field. */
    private static final @Nullable SlabMemory COMMON_SLABS = COMMON.slabs;

    private final @Nullable SlabMemory slabs;
    private final ProviderChoice choice;
    private final SlabSettings settings;

    /**
     * A pool of its own, for tests; users share {@link #common()}.
     *
     * @param choice where memory comes from, and whether arenas may use it by address
     * @param settings the slabs; arenas are the JDK's if they are off
     */
    MemoryPool(ProviderChoice choice, SlabSettings settings) {
        this.choice = choice;
        this.settings = settings;
        this.slabs =
                choice.nativeAccess() && settings.enabled()
                        ? SlabMemory.create(
                                choice.provider(),
                                settings,
                                Runtime.getRuntime().availableProcessors())
                        : null;
    }

    private static MemoryPool createCommon() {
        List<String> complaints = new ArrayList<>();
        SlabSettings settings =
                SlabSettings.parse(
                        System.getProperty(SlabSettings.SIZE_PROPERTY),
                        System.getProperty(SlabSettings.COUNT_PROPERTY),
                        complaints);
        ProviderChoice choice = Providers.choose();
        if (!choice.nativeAccess() && settings.enabled()) {
            complaints.add("arenas are the JDK's, not pooled: " + choice.reason());
        }
        if (!complaints.isEmpty()) {
            System.Logger logger = System.getLogger("io.polder");
            complaints.forEach(complaint -> logger.log(Level.WARNING, complaint));
        }
        return new MemoryPool(choice, settings);
    }

    /** The pool of this process, which {@link #ofConfined()} and {@link #ofShared()} use. */
    public static MemoryPool common() {
        return COMMON;
    }

    /**
     * Opens a confined arena on the {@linkplain #common common pool}: only the thread that opened
     * it may use and close it. May be called on platform and on virtual threads.
     *
     * @return an arena with the contract of {@link Arena#ofConfined()}
     */
    public static Arena ofConfined() {
        return openConfined(COMMON_SLABS);
    }

    /**
     * Opens a shared arena on the {@linkplain #common common pool}: any thread may use and close
     * it. Its close is the JDK's, which stops all threads for a moment.
     *
     * @return an arena with the contract of {@link Arena#ofShared()}
     */
    public static Arena ofShared() {
        return openShared(COMMON_SLABS);
    }

    /** Opens a confined arena on this pool, as {@link #ofConfined()} does on the common one. */
    public Arena openConfined() {
        return openConfined(slabs);
    }

    private static Arena openConfined(@Nullable SlabMemory memory) {
        return memory == null ? Arena.ofConfined() : memory.openConfined();
    }

    /** Opens a shared arena on this pool, as {@link #ofShared()} does on the common one. */
    public Arena openShared() {
        return openShared(slabs);
    }

    private static Arena openShared(@Nullable SlabMemory memory) {
        return memory == null ? Arena.ofShared() : memory.openShared();
    }

    /**
     * Opens an arena whose segments can be freed one by one, on this pool: only the running thread
     * may use and close it.
     */
    public RecyclingArena openRecycling() {
        return new RecyclingArena(openConfined(), choice.nativeAccess());
    }

    /** What the pool is and holds now; the counts of slabs are of one moment. */
    public PoolStatistics stats() {
        SlabMemory memory = slabs;
        SlabCounts counts = memory == null ? SlabCounts.NONE : memory.counts();
        return new PoolStatistics(
                memory != null,
                choice.provider().name(),
                memory == null && choice.nativeAccess() ? "slabs are off" : choice.reason(),
                settings.bytes(),
                settings.count(),
                counts.reservedBytes(),
                counts.slabs(),
                counts.free(),
                counts.threads(),
                counts.failures());
    }
}
