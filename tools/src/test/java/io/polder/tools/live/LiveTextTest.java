package io.polder.tools.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;
import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.html.PoolArea;
import io.polder.tools.html.PoolArea.Piece;
import io.polder.tools.terminal.Printable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;

import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.CompositeData;

/** What the views look like, without a JVM to look at. */
class LiveTextTest {
    private static Sample sample(String label, long committed, long total, long nanos) {
        return new Sample(
                label,
                nanos,
                committed / 2,
                committed,
                64 << 20,
                Sample.NO_LIMIT,
                total,
                0,
                committed / 4,
                1,
                0);
    }

    @Test
    void table_always_isSortedAndSaysWhatHasChanged() {
        List<Sample> before = List.of(sample("small", 4096, 4096, 0));
        List<Sample> now =
                List.of(
                        sample("small", 4096, 4096 + (2 << 20), 2_000_000_000L),
                        sample("large", 8 << 20, 8 << 20, 2_000_000_000L));
        assertThat(TopTable.text("title", before, now, 24, false))
                .isEqualTo(
                        """
                        title
                             used committed  reserved     limit  used         commit/s uncommit/s \
                         blocks heaps  leaks  pool
                             4.0M      8.0M      128M      none  #####.....       1.0M         0B \
                           2.0M     2      0  all 2 pools
                             4.0M      8.0M     64.0M      none  #####.....          -          - \
                           2.0M     1      0  large
                             2.0K      4.0K     64.0M      none  #####.....       1.0M         0B \
                           1.0K     1      0  small
                        """);
    }

    @Test
    void diff_always_saysWhatCameAndWhatWent() {
        List<Sample> before = List.of(sample("same", 4096, 0, 0), sample("old", 2048, 0, 0));
        List<Sample> now = List.of(sample("same", 8192, 0, 0), sample("young", 8 << 20, 0, 0));
        assertThat(DiffTable.text(before, now).replaceAll(" +", " ").replaceAll("(?m)^ ", ""))
                .isEqualTo(
                        """
                        used change committed change reserved change leaks pool
                        4.0M +4.0M 8.0M +8.0M 128M +0 all 2 pools
                        4.0M +4.0M 8.0M +8.0M 64.0M +64.0M +0 young (new)
                        4.0K +2.0K 8.0K +4.0K 64.0M +0 same
                        0B -1.0K 0B -2.0K 0B -64.0M +0 old (gone)
                        """);
    }

    @Test
    void diff_ofAPoolThatWentWithLeaks_hasOneSign() {
        Sample leaked = new Sample("old", 0, 1, 1, 1, Sample.NO_LIMIT, 0, 0, 0, 0, 5);
        assertThat(DiffTable.text(List.of(leaked), List.of())).endsWith("     -5  old (gone)\n");
    }

    @Test
    void leaks_whereNobodyLooks_areOff() {
        Sample off = new Sample("off", 0, 1, 1, 1, Sample.NO_LIMIT, 0, 0, 0, 0, Sample.NOT_WATCHED);
        assertThat(TopTable.overview(List.of(off))).endsWith(" 0    off  off\n");
        assertThat(TopTable.overview(List.of(off, sample("on", 4096, 0, 0))))
                .contains("      0  all 2 pools\n", "    off  off\n", "      0  on\n");
    }

    /** Blocks can be seen by `report` alone, and not by everyone: nothing more is promised. */
    @ParameterizedTest
    @CsvSource({"off", "sampled", "all"})
    void leaks_ofAPoolWithBlocks_promiseNoMoreThanTheReportHas(String detection) {
        LeakSites leaks = new LeakSites(detection, 1, 1, 64, 0, List.of(), 402, 4 << 20);
        assertThat(leaks.text(9))
                .contains("  1 found, ", "; 0 watched now; ", "  blocks: 402 allocated now, 4.0M; ")
                .contains("if detection was on before the pool's first block, `report` lists")
                .doesNotContain("block, page and heap", "arenas and blocks");
    }

    @Test
    void map_inANarrowTerminal_isWrapped() {
        List<Piece> pieces =
                List.of(
                        piece("USED", 1 << 10),
                        piece("USED", 1 << 10),
                        piece("FREE", 2 << 10),
                        piece("FREE", 4 << 10),
                        piece("FREE", 8 << 10),
                        piece("COLD", 16 << 10),
                        piece("COLD", 32 << 10));
        List<PoolArea> map =
                List.of(
                        new PoolArea("chunks", 0x7f55, 12 << 10, pieces),
                        new PoolArea("chunks", 0, 0, List.of(piece("UNUSED", 12 << 20))));
        assertThat(MapText.of(map, Integer.MAX_VALUE, false))
                .startsWith("A = 4 MiB, B = 2 MiB, ... M = 1 KiB; upper")
                .endsWith(" memory\n0x7f55  12K  MMlkj-i-h\nnot used yet: 3 root chunks\n");
        String wrapped = MapText.of(map, 20, false);
        assertThat(wrapped)
                .startsWith("A = 4 MiB, B = 2\nMiB, ... M = 1 KiB;\nupper case: in use,\n")
                .endsWith(
                        """
                        0x7f55  12K  MMlkj-i
                                     -h
                        not used yet: 3 root
                        chunks
                        """);
        String coloured = MapText.of(map, 20, true);
        assertThat(coloured).isNotEqualTo(wrapped);
        assertThat(coloured.replaceAll("\u001b\\[\\d*m", "")).isEqualTo(wrapped);
    }

    @Test
    void map_whereDigitsAreOthers_hasThoseOfAscii() {
        List<PoolArea> map =
                List.of(
                        new PoolArea("chunks", 0x7f55, 12 << 10, List.of(piece("USED", 1 << 10))),
                        new PoolArea("chunks", 0, 0, List.of(piece("UNUSED", 12 << 20))));
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG"));
        try {
            assertThat(MapText.of(map, Integer.MAX_VALUE, false))
                    .endsWith("\n0x7f55  12K  M\nnot used yet: 3 root chunks\n");
        } finally {
            Locale.setDefault(before);
        }
    }

    /** Two write that text: this one without Polder's classes. */
    @Test
    void map_ofAPool_isWhatThePoolSays() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean = new ObjectName("io.polder:type=MemoryPool,name=\"map text\"");
        try (MemoryPool pool = MemoryPool.builder().name("map text").build();
                Arena arena = pool.openShared()) {
            for (int size : new int[] {100, 5_000, 70_000, 900_000, 5 << 20}) {
                arena.allocate(size);
            }
            for (int i = 0; i < 3_000; i++) {
                long _ = pool.blocks().allocateAddress(100);
            }
            io.polder.page.Page hole = pool.pages().allocate(150 << 20);
            io.polder.page.Page page = pool.pages().allocate(6 << 20);
            hole.close();
            pool.trim();
            for (int i = 0; !server.isRegistered(bean); i++) {
                assertThat(i).as("tenths of a second").isLessThan(1_200);
                Thread.sleep(100);
            }
            CompositeData map = Objects.requireNonNull(new LivePool(1, server, bean).map());
            String text = pool.map().toString();
            assertThat(text).contains("blocks at 0x", "Ttt", "not used yet: ");
            assertThat(MapText.of(OpenData.areas(map), Integer.MAX_VALUE, false)).isEqualTo(text);
            page.close();
        }
    }

    private static Piece piece(String state, long bytes) {
        return new Piece(state, bytes, state.equals("USED") ? bytes : 0);
    }

    @Test
    void table_ofAPoolThatWasOpenedAgain_hasNoRates() {
        List<Sample> before = List.of(sample("again", 4096, 8 << 20, 0));
        List<Sample> now = List.of(sample("again", 4096, 4096, 1_000_000_000L));
        assertThat(TopTable.text("title", before, now, 24, false).lines())
                .hasSize(3)
                .last()
                .isEqualTo(
                        "     2.0K      4.0K     64.0M      none  #####.....          -          -"
                                + "    1.0K     1      0  again");
    }

    @Test
    void pool_thatDoesNotAnswer_isSaid() throws Exception {
        for (Exception thrown :
                List.of(
                        new RuntimeMBeanException(new ArithmeticException("by\nzero")),
                        new ReflectionException(new ArithmeticException("by\nzero")))) {
            MBeanServerConnection connection =
                    (MBeanServerConnection)
                            Proxy.newProxyInstance(
                                    getClass().getClassLoader(),
                                    new Class<?>[] {MBeanServerConnection.class},
                                    (_, _, _) -> {
                                        throw thrown;
                                    });
            ObjectName bean = new ObjectName("io.polder:type=MemoryPool,name=\"a\"");
            assertThatThrownBy(() -> new LivePool(1, connection, bean).report())
                    .isInstanceOfSatisfying(
                            AttachException.class,
                            e -> assertThat(e.problem()).isEqualTo(Problem.FAILED))
                    .hasMessageStartingWith("pool a does not answer: ")
                    .message()
                    .doesNotContain("\n");
        }
    }

    @Test
    void table_ofMoreThanFits_saysHowManyAreLeftOut() {
        List<Sample> now =
                IntStream.range(0, 1000).mapToObj(i -> sample("p" + i, 1L << 20, 0, 0)).toList();
        assertThat(TopTable.text("title", List.of(), now, 10, false).lines())
                .hasSize(9)
                .last()
                .isEqualTo("... and 995 pools more");
        assertThat(TopTable.text("title", List.of(), now, 1, false).lines())
                .contains("... and 1000 pools more");
        assertThat(TopTable.text("title", List.of(), now, Integer.MAX_VALUE, false).lines())
                .hasSize(1003);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0B",
        "999, 999B",
        "1000, 1.0K",
        "1024, 1.0K",
        "102400, 100K",
        "1023999, 1000K",
        "1024000, 1.0M",
        "1048576, 1.0M",
        "1073741824, 1.0G",
        "140737488355328, 128T"
    })
    void size_always_isShort(long bytes, String text) {
        assertThat(TopTable.size(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, ..........", "0, 10, ..........", "10, 10, ##########", "4, 10, ####......"})
    void bar_always_hasTenPlaces(long used, long committed, String bar) {
        assertThat(TopTable.bar(used, committed)).isEqualTo(bar);
    }

    @Test
    void printable_anything_steersNoTerminal() {
        assertThat(Printable.of("a\u001b[2J\u0007\n\u202e\u009bb\u2028\u00e9 \ud83d\ude00"))
                .isEqualTo("a\\u001b[2J\\u0007\\u000a\\u202e\\u009bb\\u2028\u00e9 \ud83d\ude00");
        assertThat(Printable.lines("a\nb\r\t")).isEqualTo("a\nb\\u000d\\u0009");
    }

    @Test
    void map_inColours_coloursLettersAndNothingElse() {
        long granule = 2 << 20;
        List<PoolArea> map =
                List.of(
                        new PoolArea(
                                "chunks",
                                0x7f55,
                                0,
                                List.of(piece("USED", 1 << 10), piece("COLD", 4 << 10))),
                        new PoolArea(
                                "pages",
                                0x7f56,
                                0,
                                List.of(
                                        piece("USED", 2 * granule),
                                        piece("FREE", granule),
                                        piece("DIRTY", granule),
                                        piece("ISOLATED", granule),
                                        piece("COLD", granule),
                                        piece("USED", granule),
                                        piece("COLD", 500L * granule))),
                        new PoolArea(
                                "blocks",
                                0x7f57,
                                0,
                                List.of(
                                        new Piece("USED", 65536, 19661),
                                        piece("USED", 65536),
                                        piece("UNUSED", 65536),
                                        piece("FREE", 65536))));
        assertThat(MapText.of(map, Integer.MAX_VALUE, true))
                .contains("\n0x7f55  0K  " + Colours.USED + "M" + Colours.END)
                .contains(Colours.NONE + "-k" + Colours.END + "\nnot used yet: 0 root chunks\n")
                .contains(
                        "\n0x7f56  "
                                + Colours.USED
                                + "Tt"
                                + Colours.END
                                + Colours.FREE
                                + "w"
                                + Colours.END
                                + Colours.DIRTY
                                + "d"
                                + Colours.END
                                + Colours.ISOLATED
                                + "c"
                                + Colours.END
                                + Colours.NONE
                                + "."
                                + Colours.END
                                + Colours.USED
                                + "T"
                                + Colours.END
                                + "\n")
                .contains("\nblocks at 0x7f57  " + Colours.USED + "3#" + Colours.END);
    }

    @Test
    void screen_closed_isAsItWasAndStaysSo() {
        StringWriter out = new StringWriter();
        Screen screen = Screen.open(new PrintWriter(out));
        screen.draw("one\ntwo\n");
        screen.close();
        screen.draw("too late");
        screen.close();
        assertThat(out.toString())
                .startsWith(Screen.ENTER)
                .contains("one\u001b[K\ntwo\u001b[K\n")
                .endsWith(Screen.LEAVE)
                .doesNotContain("too late");
        assertThat(out.toString().split(java.util.regex.Pattern.quote(Screen.LEAVE), -1))
                .hasSize(2);
    }
}
