package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What a confined arena refuses, it refuses as the JDK's does, and takes nothing. */
@SuppressWarnings("restricted") // to register an action
class RefusedGrowthTest {
    private static final long SLAB = 4096;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(SLAB, 4);

    /** Of what fits into the slab, and of what more memory would have to be taken for. */
    @ParameterizedTest
    @ValueSource(longs = {100, 2 * SLAB, 1 << 20})
    void allocate_whereItIsRefused_throwsWhatTheJdkThrows(long bytes) {
        List<String> jdk = refusals(Arena::ofConfined, bytes);
        assertThat(jdk).hasSize(4).doesNotContain("null");
        assertThat(refusals(memory::openConfined, bytes)).isEqualTo(jdk);
        memory.trim();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    private static List<String> refusals(Supplier<Arena> source, long bytes) {
        List<String> all = new ArrayList<>();
        Arena arena = source.get();
        arena.allocate(8);
        all.add(inOtherThread(arena, bytes));
        MemorySegment.NULL.reinterpret(arena, _ -> all.add(here(arena, bytes)));
        arena.close();
        all.add(here(arena, bytes));
        all.add(inOtherThread(arena, bytes));
        return all;
    }

    private static String here(Arena arena, long bytes) {
        return String.valueOf(catchThrowable(() -> arena.allocate(bytes)));
    }

    private static String inOtherThread(Arena arena, long bytes) {
        return String.valueOf(OtherThread.thrownOnPlatform(() -> arena.allocate(bytes)));
    }
}
