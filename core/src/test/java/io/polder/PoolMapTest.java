package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.PoolMap.Area;
import io.polder.PoolMap.Piece;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

class PoolMapTest {
    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;

    @Test
    void map_ofAPool_addsUpToItsStatistics() {
        try (MemoryPool pool = MemoryPool.builder().decay(Duration.ofHours(1)).build();
                Arena arena = pool.openShared()) {
            for (int size : new int[] {100, 5_000, 70_000, 900_000}) {
                arena.allocate(size);
            }
            Page page = pool.pages().allocate(6 * MIB);
            long block = pool.blocks().allocateAddress(1000);
            PoolMap map = pool.map();
            PoolStatistics stats = pool.stats();
            assertThat(sum(map, "pages", Piece::usedBytes)).isEqualTo(page.bytes());
            assertThat(sum(map, "pages", Piece::usedBytes) + sum(map, "chunks", Piece::usedBytes))
                    .isEqualTo(stats.capacityBytes());
            assertThat(sum(map, "pages", Piece::bytes) + sum(map, "chunks", Piece::bytes))
                    .isEqualTo(stats.reservedBytes());
            assertThat(map.areas().stream().mapToLong(Area::committedBytes).sum())
                    .isEqualTo(stats.committedBytes());
            assertThat(map.areas())
                    .filteredOn(area -> area.part().equals("blocks"))
                    .hasSize(1)
                    .allMatch(area -> area.address() <= block && block < area.address() + 4 * MIB);
            assertThat(map.kinds()).doesNotHaveDuplicates();
            pool.blocks().freeAddress(block);
            page.close();
        }
    }

    private static long sum(PoolMap map, String part, ToLongFunction<Piece> of) {
        return map.areas().stream()
                .filter(area -> area.part().equals(part))
                .flatMap(area -> area.pieces().stream())
                .mapToLong(kind -> of.applyAsLong(map.kinds().get(kind)))
                .sum();
    }

    @Test
    void text_ofEachState_hasItsLetter() {
        List<Piece> kinds =
                List.of(
                        new Piece("USED", KIB, KIB),
                        new Piece("FREE", 2 * KIB, 0),
                        new Piece("COLD", 4 * MIB, 0),
                        new Piece("UNKNOWN", KIB, 0),
                        new Piece("UNUSED", 12 * MIB, 0),
                        new Piece("USED", 130 * MIB, 130 * MIB),
                        new Piece("FREE", 2 * MIB, 0),
                        new Piece("DIRTY", 2 * MIB, 0),
                        new Piece("COLD", 258 * MIB, 0),
                        new Piece("ISOLATED", 2 * MIB, 0),
                        new Piece("LOST", 2 * MIB, 0),
                        new Piece("UNKNOWN", 2 * MIB, 0),
                        new Piece("USED", 64 * KIB, 64 * KIB),
                        new Piece("USED", 64 * KIB, 19_661),
                        new Piece("FREE", 64 * KIB, 0),
                        new Piece("UNUSED", 64 * KIB, 0));
        PoolMap map =
                new PoolMap(
                        kinds,
                        List.of(
                                new Area("chunks", 0x7f0000000000L, 12 * KIB, List.of(0, 1, 2, 3)),
                                new Area("chunks", 0x7f0000400000L, 0, List.of(4)),
                                new Area(
                                        "pages",
                                        0x7f0000800000L,
                                        0,
                                        List.of(5, 6, 7, 9, 10, 11, 8, 6, 8)),
                                new Area(
                                        "blocks",
                                        0x7f0000000000L,
                                        0,
                                        List.of(15, 12, 13, 14, 15))));
        assertThat(map.toString())
                .isEqualTo(
                        """
                        A = 4 MiB, B = 2 MiB, ... M = 1 KiB; upper case: in use, lower case: free, \
                        after -: no memory
                        0x7f0000000000  12K  Ml-a?
                        not used yet: 3 root chunks
                        2 MiB each; Tt: a page in use, w: free, d: free and not zero, c: isolated, \
                        x: lost, dots: no memory
                        0x7f0000800000  T%s
                        0x7f0008800000  twdcx?
                        0x7f0018800000  .......w
                        blocks, 64 KiB each; 0 to 9: so many tenths of a span are used, #: all, \
                        e: none, dots: no blocks
                        blocks at 0x7f0000000000  .#3e
                        """
                                .formatted("t".repeat(63)));
    }

    @Test
    void text_whereDigitsAreOthers_hasThoseOfAscii() {
        PoolMap map =
                new PoolMap(
                        List.of(new Piece("COLD", 4 * MIB, 0), new Piece("UNUSED", 12 * MIB, 0)),
                        List.of(
                                new Area("chunks", 0x7f0000000000L, 12 * KIB, List.of(0)),
                                new Area("chunks", 0x7f0000400000L, 0, List.of(1))));
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG"));
        try {
            assertThat(map.toString())
                    .endsWith("\n0x7f0000000000  12K  -a\nnot used yet: 3 root chunks\n");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void map_ofOneMoment_cannotBeChanged() {
        List<Integer> pieces = new ArrayList<>(List.of(0));
        List<Area> areas = new ArrayList<>(List.of(new Area("chunks", 0, 0, pieces)));
        PoolMap map = new PoolMap(new ArrayList<>(List.of(new Piece("FREE", KIB, 0))), areas);
        pieces.clear();
        areas.clear();
        assertThat(map.areas()).containsExactly(new Area("chunks", 0, 0, List.of(0)));
        assertThatThrownBy(() -> map.areas().clear())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.areas().getFirst().pieces().clear())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.kinds().clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
