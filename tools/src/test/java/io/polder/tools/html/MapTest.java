package io.polder.tools.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.MemoryPool;
import io.polder.PoolMap;
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

/** Maps of memory: of a pool, and written for the script. */
class MapTest {
    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;

    @Test
    void chunks_ofAreas_areThere() {
        List<PoolArea.Piece> first =
                List.of(
                        piece("USED", KIB),
                        piece("FREE", KIB),
                        piece("FREE", 2 * KIB),
                        piece("COLD", 4 * MIB - 4 * KIB));
        List<PoolArea> areas =
                List.of(
                        area("chunks", 0x7f5500000000L, first),
                        area("chunks", 0x7f5500400000L, List.of(piece("COLD", 4 * MIB))),
                        area("chunks", 0x7f5500800000L, List.of(piece("UNUSED", 8 * MIB))),
                        area("chunks", 0x7f5501000000L, List.of(piece("UNKNOWN", KIB))),
                        area("pages", 0x7f5501000400L, List.of(piece("FREE", 2 * MIB))));

        Panel panel = PoolArea.panel("now", "chunks", areas).orElseThrow();

        assertThat(panel.spans())
                .containsExactly(
                        new Span(
                                0x7f5500000000L,
                                List.of(
                                        new Piece(State.USED, KIB),
                                        new Piece(State.FREE, KIB),
                                        new Piece(State.FREE, 2 * KIB),
                                        new Piece(State.BARE, 4 * MIB - 4 * KIB),
                                        new Piece(State.BARE, 4 * MIB))),
                        new Span(0x7f5501000000L, List.of(new Piece(State.ISOLATED, KIB))));
    }

    @Test
    void pages_ofAreas_areThere() {
        List<PoolArea> areas =
                List.of(
                        area(
                                "pages",
                                0x40000000,
                                List.of(
                                        piece("USED", 6 * MIB),
                                        piece("FREE", 2 * MIB),
                                        piece("DIRTY", 2 * MIB),
                                        piece("COLD", 20 * MIB),
                                        piece("ISOLATED", 2 * MIB),
                                        piece("what a later version has", 4 * MIB))));

        Panel panel = PoolArea.panel("now", "pages", areas).orElseThrow();

        assertThat(panel.pieces(State.USED)).containsExactly(new Piece(State.USED, 6 * MIB));
        assertThat(panel.bytes(State.FREE)).isEqualTo(2 * MIB);
        assertThat(panel.bytes(State.DIRTY)).isEqualTo(2 * MIB);
        assertThat(panel.bytes(State.BARE)).isEqualTo(20 * MIB);
        assertThat(panel.bytes(State.ISOLATED)).isEqualTo(6 * MIB);
        assertThat(PoolArea.panel("now", "chunks", areas)).isEmpty();
    }

    private static PoolArea.Piece piece(String state, long bytes) {
        return new PoolArea.Piece(state, bytes, state.equals("USED") ? bytes : 0);
    }

    private static PoolArea area(String part, long address, List<PoolArea.Piece> pieces) {
        return new PoolArea(part, address, 0, pieces);
    }

    static List<PoolArea> areas(MemoryPool pool) {
        PoolMap map = pool.map();
        return map.areas().stream()
                .map(
                        area ->
                                new PoolArea(
                                        area.part(),
                                        area.address(),
                                        area.committedBytes(),
                                        area.pieces().stream()
                                                .map(map.kinds()::get)
                                                .map(
                                                        kind ->
                                                                new PoolArea.Piece(
                                                                        kind.state(),
                                                                        kind.bytes(),
                                                                        kind.usedBytes()))
                                                .toList()))
                .toList();
    }

    @Test
    void map_ofAPool_agreesWithItsStatistics() {
        try (MemoryPool pool = MemoryPool.builder().name("<b>map</b>").build();
                Arena arena = pool.openConfined()) {
            for (int size : new int[] {100, 5_000, 70_000, 900_000}) {
                arena.allocate(size);
            }
            Page page = pool.pages().allocate(6 * MIB);
            Panel chunks = PoolArea.panel("chunks", "chunks", areas(pool)).orElseThrow();
            Panel pages = PoolArea.panel("pages", "pages", areas(pool)).orElseThrow();

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
