package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.experiments.pages.Recording.Figure;
import io.polder.lab.harness.Findings;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.LongStream;

/** The program on pages that come from the JDK. */
class WorkloadRunTest {
    private static final long MIB = 1 << 20;
    private static final Program PROGRAM = new Program(256 * MIB, 3);

    private final Recording recording = new Recording(new Findings());

    @Test
    void slots_ofAHeapOf4GiB_areThoseOfTheOriginalProgram() {
        Program program = new Program(4096 * MIB, 10);

        assertThat(program.slots(ObjectKind.SMALL)).isEqualTo(26_214);
        assertThat(program.slots(ObjectKind.MEDIUM)).isEqualTo(3_276);
        assertThat(program.smallPerMedium()).isEqualTo(8);
        assertThat(program.mediumObjects()).isEqualTo(32_760);
    }

    @Test
    void objects_lieInPagesAsInZgc() {
        assertThat(ObjectKind.SMALL.objectsIn(2 * MIB)).isEqualTo(31);
        assertThat(ObjectKind.MEDIUM.objectsIn(4 * MIB)).isEqualTo(7);
        assertThat(ObjectKind.MEDIUM.objectsIn(32 * MIB)).isEqualTo(63);
        assertThat(ObjectKind.MEDIUM.strideBytes() % 4096).isZero();
    }

    @Test
    void run_givesAllPagesBackAndMovesWhatLives() throws Exception {
        try (ArenaPages pages = new ArenaPages(0, 0)) {
            Recording outcome = run(pages);

            assertThat(pages.taken()).isZero();
            assertThat(outcome.get(Figure.CYCLES)).isPositive();
            assertThat(outcome.get(Figure.MOVED_OBJECTS)).isGreaterThan(100);
            assertThat(outcome.get(Figure.REFUSED)).isZero();
            assertThat(pages.expected()).isPositive();
            // 3 x 204 x 8 small objects, 31 in a page.
            assertThat(outcome.latencies().of(Group.MUTATOR_SMALL).getTotalCount())
                    .isBetween(158L, 159L);
            assertThat(outcome.latencies().of(Group.MUTATOR_MEDIUM).getTotalCount()).isPositive();
            assertThat(outcome.latencies().of(Group.COLLECTOR_SMALL).getTotalCount()).isPositive();
        }
    }

    @Test
    void points_showAHeapThatIsFullAgainAndAgain() throws Exception {
        try (ArenaPages pages = new ArenaPages(0, 0)) {
            run(pages);
        }

        List<Point> points = recording.points();
        assertThat(points).hasSize(3 * WorkloadRun.PARTS);
        assertThat(points)
                .extracting(point -> point.get(Point.Value.PART))
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 24).boxed().toList());
        long mediumBytes = PROGRAM.slots(ObjectKind.MEDIUM) * ObjectKind.MEDIUM.objectBytes();
        for (Point point : points) {
            long held = point.get(Point.Value.SMALL_BYTES) + point.get(Point.Value.MEDIUM_BYTES);
            assertThat(point.get(Point.Value.LIVE_BYTES)).isPositive().isLessThan(held);
            assertThat(point.get(Point.Value.ROOM_BYTES)).isNotNegative();
            if (point.get(Point.Value.PART) % WorkloadRun.PARTS == 0) {
                assertThat(point.get(Point.Value.LIVE_BYTES)).isGreaterThan(mediumBytes);
                assertThat(point.get(Point.Value.MEDIUM_BYTES)).isGreaterThan(mediumBytes);
            }
        }
        Point end = points.getLast();
        assertThat(end.get(Point.Value.LIVE_BYTES)).isGreaterThan(PROGRAM.budgetBytes() * 7 / 10);
        assertThat(end.get(Point.Value.TAKES_2M)).isGreaterThan(100);
    }

    @Test
    void run_pageThatIsRefused_isCountedAndAskedForAgain() throws Exception {
        try (ArenaPages pages = new ArenaPages(5, 0)) {
            Recording outcome = run(pages);

            assertThat(outcome.get(Figure.REFUSED)).isGreaterThan(10);
            assertThat(pages.taken()).isZero();
        }
    }

    @Test
    void run_pageThatTwoHave_isFound() throws Exception {
        try (ArenaPages pages = new ArenaPages(0, 7)) {
            assertThatThrownBy(() -> run(pages))
                    .isInstanceOf(AssertionError.class)
                    .hasStackTraceContaining("an object keeps what was written");
        }
    }

    private Recording run(PageSource pages) throws InterruptedException {
        new WorkloadRun(Contender.POLDER, PROGRAM, pages, 7, recording.findings()).run();
        return recording;
    }
}
