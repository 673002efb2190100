package io.polder.tools.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.MemoryPool;
import io.polder.page.Page;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.MemoryMap.Piece;
import io.polder.tools.html.MemoryMap.Span;
import io.polder.tools.html.MemoryMap.State;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Maps of memory: read from the text of a pool, and written for the script. */
class MapTest {
    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;

    @Test
    void chunks_ofText_areThere() {
        String text =
                """
                A = 4 MiB, B = 2 MiB, ... M = 1 KiB; upper case: in use, lower case: free
                0x7f5500000000  12K  MmlkJ-i-h-g-f-e-d-c-b
                0x7f5500400000   0K  -a
                0x7f5500400000  0K  -a
                0x7f5501000000  4096K  BB
                not used yet: 14 root chunks
                """;

        Panel panel = PoolMap.chunks("now", text).orElseThrow();

        assertThat(panel.spans()).hasSize(2);
        Span first = panel.spans().getFirst();
        assertThat(first.start()).isEqualTo(0x7f5500000000L);
        assertThat(first.bytes()).isEqualTo(8 * MIB);
        assertThat(first.pieces())
                .startsWith(
                        new Piece(State.USED, KIB),
                        new Piece(State.FREE, KIB),
                        new Piece(State.FREE, 2 * KIB),
                        new Piece(State.FREE, 4 * KIB),
                        new Piece(State.USED, 8 * KIB),
                        new Piece(State.BARE, 16 * KIB))
                .endsWith(new Piece(State.BARE, 2 * MIB), new Piece(State.BARE, 4 * MIB));
        assertThat(panel.bytes(State.USED)).isEqualTo(4 * MIB + 9 * KIB);
        assertThat(PoolMap.pages("now", text)).isEmpty();
    }

    @Test
    void pages_ofText_areThere() {
        String line = "Tttw" + "d".repeat(60);
        String text = "2 MiB each; Tt: a page in use\n0x40000000  " + line + "\n0x48000000  T..c\n";

        Panel panel = PoolMap.pages("now", text).orElseThrow();

        assertThat(panel.spans()).hasSize(1);
        assertThat(panel.pieces(State.USED))
                .containsExactly(new Piece(State.USED, 6 * MIB), new Piece(State.USED, 2 * MIB));
        assertThat(panel.bytes(State.FREE)).isEqualTo(2 * MIB);
        assertThat(panel.bytes(State.DIRTY)).isEqualTo(120 * MIB);
        assertThat(panel.bytes(State.BARE)).isEqualTo(4 * MIB);
        assertThat(panel.bytes(State.ISOLATED)).isEqualTo(2 * MIB);
        assertThat(PoolMap.chunks("now", text)).isEmpty();
    }

    @Test
    void pages_thatGoOnInTheNextLine_areOne() {
        String text = "0x40000000  T" + "t".repeat(63) + "\n0x48000000  tt\n";

        assertThat(PoolMap.pages("now", text).orElseThrow().pieces(State.USED))
                .containsExactly(new Piece(State.USED, 132 * MIB));
    }

    @Test
    void anyText_isReadOrLeftOut() {
        assertThat(PoolMap.chunks("now", "")).isEmpty();
        assertThat(PoolMap.pages("now", "0xzz  T\nhello\n0x1  TX\n")).isEmpty();
        assertThat(PoolMap.chunks("now", "0x0  0K  -\n").orElseThrow().spans())
                .containsExactly(new Span(0, List.of()));
    }

    /** The text is for people and may change: then this test says so. */
    @Test
    void map_ofAPool_agreesWithItsStatistics() {
        try (MemoryPool pool = MemoryPool.builder().name("<b>map</b>").build();
                Arena arena = pool.openConfined()) {
            for (int size : new int[] {100, 5_000, 70_000, 900_000}) {
                arena.allocate(size);
            }
            Page page = pool.pages().allocate(6 * MIB);
            Panel chunks = PoolMap.chunks("chunks", pool.map()).orElseThrow();
            Panel pages = PoolMap.pages("pages", pool.map()).orElseThrow();

            assertThat(chunks.bytes(State.USED)).isGreaterThan(975_000);
            assertThat(chunks.spans().stream().mapToLong(Span::bytes).sum() % (4 * MIB)).isZero();
            assertThat(pages.pieces(State.USED))
                    .containsExactly(new Piece(State.USED, page.bytes()));
            page.close();
        }
    }

    @Test
    void data_neighboursThatAreAlike_areOneRun() throws Exception {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pieces.add(new Piece(State.USED, KIB));
        }
        pieces.add(new Piece(State.FREE, KIB));
        pieces.add(new Piece(State.FREE, 2 * KIB));

        JsonNode json = data(pieces);

        assertThat(json.at("/panels/0/block").asLong()).isZero();
        assertThat(json.at("/panels/0/spans/0/runs").toString())
                .isEqualTo("[0,1024,100,1,1024,1,1,2048,1]");
    }

    @Test
    void data_moreThanCanBeSeenThatAreAlike_isCutIntoBlocks() throws Exception {
        List<Piece> pieces = Collections.nCopies(1_000_000, new Piece(State.USED, KIB));

        JsonNode panel = data(pieces).at("/panels/0");

        JsonNode runs = panel.at("/spans/0/runs");
        long cells = 0;
        for (int i = 0; i < runs.size(); i += 3) {
            cells += runs.get(i + 2).asLong();
        }
        assertThat(panel.get("block").asLong()).isEqualTo(256 * KIB);
        assertThat(cells).isEqualTo((1_000_000 + 255) / 256);
    }

    @Test
    void data_moreThanCanBeSeen_isCutIntoBlocks() throws Exception {
        Random random = new Random(7);
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            State state = random.nextInt(10) == 0 ? State.BARE : State.USED;
            pieces.add(new Piece(state, KIB << random.nextInt(4)));
        }
        long bytes = pieces.stream().mapToLong(Piece::bytes).sum();

        JsonNode panel = data(pieces).at("/panels/0");

        long block = panel.get("block").asLong();
        assertThat(Long.bitCount(block)).isEqualTo(1);
        assertThat(bytes / block).isBetween(MapData.RUNS_MAX / 4L, (long) MapData.RUNS_MAX);
        JsonNode runs = panel.at("/spans/0/runs");
        long sum = 0;
        long used = 0;
        for (int i = 0; i < runs.size(); i += 3) {
            long run = runs.get(i + 1).asLong() * runs.get(i + 2).asLong();
            sum += run;
            used += runs.get(i).asInt() == 0 ? run : 0;
        }
        assertThat(sum).isEqualTo(bytes);
        assertThat(used / (double) bytes).isGreaterThan(0.9);
    }

    @Test
    void piece_withoutBytes_isRefused() {
        assertThatThrownBy(() -> new Piece(State.USED, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a piece has bytes: bytes=0");
    }

    private static JsonNode data(List<Piece> pieces) throws Exception {
        MemoryMap map = new MemoryMap(new Caption("t", ""), List.of(Panel.of("now", pieces)));
        return new ObjectMapper().readTree(ScriptData.json(MapData.of(map)));
    }
}
