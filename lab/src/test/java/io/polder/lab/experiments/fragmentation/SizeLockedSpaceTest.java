package io.polder.lab.experiments.fragmentation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Chunks that keep their size for ever. */
class SizeLockedSpaceTest {
    private static final long KIB = 1 << 10;

    private final SizeLockedSpace space = new SizeLockedSpace(64 * KIB);

    @AfterEach
    void invariantsHold() {
        space.verify();
    }

    @Test
    void take_isNotAligned() {
        take(ChunkKind.SPECIALIZED, 1);

        assertThat(take(ChunkKind.MEDIUM, 1).start()).isEqualTo(KIB);
        assertThat(take(ChunkKind.HUMONGOUS, 2 * KIB + 1).bytes()).isEqualTo(3 * KIB);
        assertThat(Maps.letters(space.map())).isEqualTo("XMH");
        assertThat(space.map()).contains("never used: 28K");
    }

    @Test
    void give_locksTheSize() {
        List<SizedChunk> small = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            small.add(take(ChunkKind.SMALL, 1));
        }
        assertThat(space.take(ChunkKind.SMALL, 1)).isNull();
        small.forEach(space::give);

        assertThat(space.take(ChunkKind.MEDIUM, 1)).isNull();
        assertThat(space.take(ChunkKind.SPECIALIZED, 1)).isNull();
        assertThat(take(ChunkKind.SMALL, 1).start()).isZero();
    }

    @Test
    void take_afterGive_findsOnlyItsOwnKind() {
        SizedChunk medium = take(ChunkKind.MEDIUM, 1);
        SizedChunk small = take(ChunkKind.SMALL, 1);
        space.give(medium);
        space.give(small);

        assertThat(take(ChunkKind.SPECIALIZED, 1).start()).isEqualTo(34 * KIB);
        assertThat(take(ChunkKind.SMALL, 1)).isSameAs(small);
        assertThat(take(ChunkKind.MEDIUM, 1)).isSameAs(medium);
        assertThat(Maps.letters(space.map())).isEqualTo("MSX");
    }

    @Test
    void take_humongous_takesTheBestFit() {
        SizedChunk large = take(ChunkKind.HUMONGOUS, 20 * KIB);
        SizedChunk larger = take(ChunkKind.HUMONGOUS, 30 * KIB);
        space.give(larger);
        space.give(large);

        assertThat(take(ChunkKind.HUMONGOUS, 19 * KIB)).isSameAs(large);
        assertThat(take(ChunkKind.HUMONGOUS, 19 * KIB)).isSameAs(larger);
    }

    private SizedChunk take(ChunkKind kind, long needed) {
        return Objects.requireNonNull(space.take(kind, needed));
    }
}
