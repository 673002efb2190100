package io.polder.lab.experiments.fragmentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Chunks of three sizes that are split, merged and padded. */
class SplitMergeSpaceTest {
    private static final long KIB = 1 << 10;

    private final SplitMergeSpace space = new SplitMergeSpace(128 * KIB);

    @AfterEach
    void invariantsHold() {
        space.verify();
    }

    @Test
    void take_fromAnUntouchedRange_cutsFromItsLowerEnd() {
        assertThat(take(ChunkKind.SMALL).start()).isZero();
        assertThat(take(ChunkKind.SMALL).start()).isEqualTo(2 * KIB);
        assertThat(take(ChunkKind.SPECIALIZED).start()).isEqualTo(4 * KIB);
        assertThat(letters()).isEqualTo("SSX");
    }

    @Test
    void take_behindAnUnevenTop_pads() {
        take(ChunkKind.SPECIALIZED);

        assertThat(take(ChunkKind.MEDIUM).start()).isEqualTo(32 * KIB);
        assertThat(letters()).isEqualTo("X" + "x" + "s".repeat(15) + "M");
    }

    @Test
    void take_afterPadding_usesThePadding() {
        take(ChunkKind.SPECIALIZED);
        take(ChunkKind.MEDIUM);

        assertThat(take(ChunkKind.SMALL).start()).isEqualTo(2 * KIB);
        assertThat(take(ChunkKind.SPECIALIZED).start()).isEqualTo(KIB);
    }

    @Test
    void padding_besideFreeChunks_isMergedWithThem() {
        SizedChunk first = take(ChunkKind.SMALL);
        space.give(first);
        take(ChunkKind.MEDIUM);

        assertThat(letters()).isEqualTo("mM");
    }

    @Test
    void give_theLastOfAnArea_mergesIt() {
        List<SizedChunk> small = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            small.add(take(ChunkKind.SMALL));
        }
        SizedChunk last = small.remove(7);
        small.forEach(space::give);
        assertThat(letters()).isEqualTo("sssssssSssssssss");

        space.give(last);

        assertThat(letters()).isEqualTo("m");
        assertThat(take(ChunkKind.MEDIUM).start()).isZero();
    }

    @Test
    void give_specialized_mergesToSmallFirstAndToMediumLater() {
        SizedChunk one = take(ChunkKind.SPECIALIZED);
        SizedChunk two = take(ChunkKind.SPECIALIZED);
        SizedChunk small = take(ChunkKind.SMALL);
        take(ChunkKind.MEDIUM);

        space.give(one);
        assertThat(letters()).startsWith("xXSs");
        space.give(two);
        assertThat(letters()).startsWith("sSs");
        space.give(small);
        assertThat(letters()).isEqualTo("mM");
    }

    @Test
    void take_smallFromAMedium_splitsIt() {
        SizedChunk medium = take(ChunkKind.MEDIUM);
        space.give(medium);

        assertThat(take(ChunkKind.SPECIALIZED).start()).isZero();
        assertThat(letters()).isEqualTo("X" + "x" + "s".repeat(15));
        assertThat(take(ChunkKind.SMALL).start()).isEqualTo(2 * KIB);
    }

    @Test
    void take_humongous_isReusedByBestFitAndNeverSplit() {
        SizedChunk large = take(ChunkKind.HUMONGOUS, 50 * KIB);
        SizedChunk largest = take(ChunkKind.HUMONGOUS, 60 * KIB + 1);
        assertThat(largest.bytes()).isEqualTo(61 * KIB);
        space.give(large);
        space.give(largest);

        assertThat(take(ChunkKind.HUMONGOUS, 49 * KIB).start()).isZero();
        assertThat(space.take(ChunkKind.MEDIUM, 1)).isNull();
        assertThat(take(ChunkKind.HUMONGOUS, 51 * KIB).start()).isEqualTo(50 * KIB);
    }

    @Test
    void merge_whereAHumongousChunkReachesIn_isLeftAlone() {
        SizedChunk humongous = take(ChunkKind.HUMONGOUS, 33 * KIB);
        SizedChunk medium = take(ChunkKind.MEDIUM);
        space.give(humongous);

        // The padding behind it shares an aligned area of 32 KiB with its last KiB.
        assertThat(letters()).isEqualTo("h" + "x" + "s".repeat(15) + "M");
        space.give(medium);
    }

    @Test
    void take_withoutRoom_changesNothing() {
        take(ChunkKind.SPECIALIZED);
        take(ChunkKind.HUMONGOUS, 96 * KIB);
        String before = space.map();

        assertThat(space.take(ChunkKind.MEDIUM, 1)).isNull();
        assertThat(space.map()).isEqualTo(before);
    }

    @Test
    void give_twice_isNoticed() {
        SizedChunk chunk = take(ChunkKind.SMALL);
        take(ChunkKind.SMALL);
        space.give(chunk);

        assertThatThrownBy(() -> space.give(chunk))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a chunk is freed once");
    }

    private SizedChunk take(ChunkKind kind) {
        return take(kind, 1);
    }

    private SizedChunk take(ChunkKind kind, long needed) {
        return Objects.requireNonNull(space.take(kind, needed));
    }

    private String letters() {
        return Maps.letters(space.map());
    }
}
