package io.polder.lab.experiments.fragmentation;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Objects;

/** The checks of the models catch what they are there for. */
class ModelCanaryTest {
    @Test
    void verify_usedChunkThatWasFreedBehindTheLists_isCaught() {
        SizeLockedSpace locked = new SizeLockedSpace(1 << 20);
        Objects.requireNonNull(locked.take(ChunkKind.SMALL, 1)).setUsed(false);

        assertThatThrownBy(locked::verify)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a chunk is used or in a list");
    }

    @Test
    void verify_occupancyThatWasNotTold_isCaught() {
        SplitMergeSpace merging = new SplitMergeSpace(1 << 20);
        SizedChunk chunk = Objects.requireNonNull(merging.take(ChunkKind.SMALL, 1));
        merging.give(chunk);
        chunk.setUsed(true);

        assertThatThrownBy(merging::verify).isInstanceOf(AssertionError.class);
    }

    @Test
    void verify_rangeWithAHole_isCaught() {
        ChunkRange range = new ChunkRange(1 << 20);
        SizedChunk first = range.append(ChunkKind.SMALL, 2048);
        range.append(ChunkKind.SMALL, 2048);
        range.replace(List.of(first), List.of());

        assertThatThrownBy(range::verify)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("chunks tile the range");
    }

    @Test
    void append_withoutRoom_isCaught() {
        ChunkRange range = new ChunkRange(1024);

        assertThatThrownBy(() -> range.append(ChunkKind.SMALL, 2048))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("bytes=1024");
    }

    @Test
    void verify_mergeThatWasForgotten_isCaught() {
        ChunkRange range = new ChunkRange(1 << 20);
        OccupancyMap occupancy = new OccupancyMap();
        occupancy.put(range.append(ChunkKind.SPECIALIZED, 1024));
        occupancy.put(range.append(ChunkKind.SPECIALIZED, 1024));

        SpaceChecks.mapAgrees(range, occupancy);
        assertThatThrownBy(() -> SpaceChecks.allIsMerged(range, occupancy))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("what can be merged is merged");
    }

    @Test
    void verify_chunkThatIsNotAligned_isCaught() {
        ChunkRange range = new ChunkRange(1 << 20);
        OccupancyMap occupancy = new OccupancyMap();
        occupancy.put(range.append(ChunkKind.SPECIALIZED, 1024));
        occupancy.put(range.append(ChunkKind.SMALL, 2048));

        assertThatThrownBy(() -> SpaceChecks.mapAgrees(range, occupancy))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a chunk is aligned to its size");
    }
}
