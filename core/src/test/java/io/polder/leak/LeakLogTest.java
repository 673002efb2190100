package io.polder.leak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

/** A flood of leaks is a few lines in the log. */
class LeakLogTest {
    private static final LeakRecord ARENA =
            new LeakRecord(
                    Kind.SHARED_ARENA, 1, 1024, "main", List.of("A.open(A.java:1)", "A.main"));

    @Test
    void message_always_saysWhatWhereAndHowMuch() {
        assertThat(new LeakLog("pool").message(ARENA, 1, true, 0))
                .isEqualTo(
                        """
                        a shared arena was never closed, and nobody can do it any more: pool=pool, \
                        bytes=1024, thread=main, leaksFound=1
                        It was opened:
                        \tat A.open(A.java:1)
                        \tat A.main\
                        """);
        LeakRecord page = new LeakRecord(Kind.PAGE, 1, 1 << 21, "t", List.of("B.take"));
        assertThat(new LeakLog("pool").message(page, 7, false, 0))
                .startsWith("a page was never closed, and")
                .contains("leaksFound=7, arenasWatched=some\nIt was allocated:\n\tat B.take");
    }

    @Test
    void message_ofBlocks_saysWhoAllocatedThem() {
        LeakRecord blocks = new LeakRecord(Kind.BLOCKS, 3, 48, "t", List.of("C.fill"));
        assertThat(new LeakLog("pool").message(blocks, 7, false, 0))
                .isEqualTo(
                        """
                        blocks were not freed when their pool was closed: pool=pool, blocks=3, \
                        bytes=48, thread=t, leaksFound=7, blocksWatched=some
                        They were allocated:
                        \tat C.fill\
                        """);
    }

    @Test
    void message_oftenInAShortTime_isSaidOnceAndCounted() {
        LeakLog log = new LeakLog("pool");
        long begin = Long.MAX_VALUE - 5; // the clock may be anywhere, and pass the end
        assertThat(log.message(ARENA, 1, true, begin)).isNotNull();
        assertThat(log.message(ARENA, 2, true, begin + 1)).isNull();
        assertThat(log.message(ARENA, 3, true, begin + LeakLog.PAUSE_NANOS - 1)).isNull();
        assertThat(log.message(ARENA, 4, true, begin + LeakLog.PAUSE_NANOS))
                .contains("leaksFound=4, notLogged=2\n");
        assertThat(log.message(ARENA, 5, true, begin + 2 * LeakLog.PAUSE_NANOS))
                .contains("leaksFound=5\n");
    }

    @Test
    void suppressed_burstWithoutMore_saysTheLastAndHowManyOthers() {
        LeakLog log = new LeakLog("pool");
        LeakRecord page = new LeakRecord(Kind.PAGE, 1, 1 << 21, "t", List.of("B.take"));
        assertThat(log.suppressed(0, true, 0)).isNull();
        assertThat(log.message(ARENA, 1, true, 0)).isNotNull();
        assertThat(log.isBehind()).isFalse();
        assertThat(log.message(ARENA, 2, true, 1)).isNull();
        assertThat(log.message(ARENA, 3, true, 2)).isNull();
        assertThat(log.message(page, 4, true, 3)).isNull();
        assertThat(log.isBehind()).isTrue();
        assertThat(log.suppressed(4, true, LeakLog.PAUSE_NANOS - 1)).isNull();
        assertThat(log.suppressed(4, true, LeakLog.PAUSE_NANOS))
                .contains("leaksFound=4, notLogged=2\n")
                .endsWith("B.take");
        assertThat(log.isBehind()).isFalse();
        assertThat(log.suppressed(4, true, 3 * LeakLog.PAUSE_NANOS)).isNull();
        assertThat(log.message(ARENA, 5, true, LeakLog.PAUSE_NANOS + 1)).isNull();
    }

    /** They are found together, when their pool is closed. */
    @Test
    void message_ofBlocksFromManyPlaces_isSaidOfEachUpToSome() {
        LeakLog log = new LeakLog("pool");
        for (int place = 0; place < 2 * LeakLog.PLACES_MAX; place++) {
            LeakRecord blocks = new LeakRecord(Kind.BLOCKS, 1, 48, "t", List.of("P.at" + place));
            String message = log.message(blocks, place + 1, true, place);
            if (place < LeakLog.PLACES_MAX) {
                assertThat(message).endsWith("P.at" + place).doesNotContain("notLogged");
            } else {
                assertThat(message).isNull();
            }
        }
        assertThat(log.message(ARENA, 99, true, 99)).as("no other leak").isNull();
        assertThat(log.rest(99, true, 100))
                .contains("leaksFound=99, notLogged=" + LeakLog.PLACES_MAX + "\n");
    }

    @Test
    void rest_beforeThePauseIsOver_isSaid() {
        LeakLog log = new LeakLog("pool");
        assertThat(log.rest(0, true, 0)).isNull();
        assertThat(log.message(ARENA, 1, true, 0)).isNotNull();
        assertThat(log.message(ARENA, 2, true, 1)).isNull();
        assertThat(log.message(ARENA, 3, true, 2)).isNull();
        assertThat(log.rest(3, true, 3)).contains("leaksFound=3, notLogged=1\n");
        assertThat(log.rest(3, true, 4)).isNull();
    }

    @Test
    void message_ofAScope_saysWhatMayHangOnIt() {
        LeakRecord leak = new LeakRecord(Kind.CONFINED_ARENA, 1, 0, "t", List.of("C.map"));
        assertThat(new LeakLog("pool").message(leak, 1, true, 0))
                .contains("bytes=0, ")
                .contains("\nIts scope was used: a mapped file, a library or a cleanup action may");
    }

    @Test
    void message_namesWithLineEndsInThem_isStillItsOwn() {
        LeakRecord leak = new LeakRecord(Kind.PAGE, 1, 1, "a\nWARNING: b", List.of());
        assertThat(new LeakLog("c\nd").message(leak, 1, true, 0))
                .contains("pool=c\\u000ad, ")
                .contains("thread=a\\u000aWARNING: b, ");
    }
}
