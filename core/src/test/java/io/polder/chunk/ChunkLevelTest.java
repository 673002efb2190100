package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ChunkLevelTest {

    @Test
    void bytes_halveFromLevelToLevel() {
        assertThat(ChunkLevel.bytes(ChunkLevel.ROOT)).isEqualTo(4L << 20);
        assertThat(ChunkLevel.bytes(ChunkLevel.SMALLEST)).isEqualTo(1024);
        for (int level = 1; level < ChunkLevel.COUNT; level++) {
            assertThat(ChunkLevel.bytes(level)).isEqualTo(ChunkLevel.bytes(level - 1) / 2);
        }
    }

    @Test
    void fitting_aroundEachSize() {
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            long bytes = ChunkLevel.bytes(level);
            assertThat(ChunkLevel.fitting(bytes)).isEqualTo(level);
            assertThat(ChunkLevel.fitting(bytes - 1)).isEqualTo(level);
            if (level > 0) {
                assertThat(ChunkLevel.fitting(bytes + 1)).isEqualTo(level - 1);
            }
        }
        assertThat(ChunkLevel.fitting(0)).isEqualTo(ChunkLevel.SMALLEST);
        assertThat(ChunkLevel.fitting(1)).isEqualTo(ChunkLevel.SMALLEST);
    }

    @Test
    void fitting_moreThanARootChunk_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ChunkLevel.fitting(ChunkLevel.ROOT_BYTES + 1))
                .withMessageContaining("bytes=4194305");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ChunkLevel.fitting(-1))
                .withMessageContaining("bytes=-1");
    }

    @Test
    void chunk_isAddressAndLevel() {
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            long address = 0x7f12_3456_7000L + level * ChunkLevel.SMALLEST_BYTES;
            long chunk = Chunk.of(address, level);
            assertThat(Chunk.address(chunk)).isEqualTo(address);
            assertThat(Chunk.level(chunk)).isEqualTo(level);
            assertThat(Chunk.bytes(chunk)).isEqualTo(ChunkLevel.bytes(level));
        }
    }

    @Test
    void osPages_ofEverySupportedSize() {
        assertThat(OsPages.of(4096).perRoot()).isEqualTo(1024);
        assertThat(OsPages.of(65536).level()).isEqualTo(6);
        assertThat(OsPages.of(4096).from(4097)).isEqualTo(2);
        assertThat(OsPages.of(4096).containing(4095)).isZero();
    }
}
