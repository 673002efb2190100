package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.experiments.pages.Latencies.Group;

import org.junit.jupiter.api.Test;

import java.util.List;

class RecordingTest {
    @Test
    void figures_areThoseOfTheRun() {
        Recording recording = Recordings.recording(3);

        assertThat(recording.points()).hasSize(2);
        assertThat(recording.end().get(Point.Value.NANOS)).isEqualTo(6);
        assertThat(recording.mapsAdded()).isEqualTo(30);
        assertThat(recording.committedOverLive()).isEqualTo(1.5);
        assertThat(recording.collections()).isZero();
        Outcome outcome = recording.outcome();
        assertThat(outcome.get(Outcome.Value.WAITS)).isEqualTo(3);
        assertThat(outcome.latencies().all().getTotalCount()).isEqualTo(3);
        assertThat(outcome.latencies().of(Group.UNDISTURBED).getTotalCount()).isEqualTo(2);
        assertThat(outcome.latencies().of(Group.MUTATOR_MEDIUM).getMaxValue())
                .isBetween(6000L, 6006L);
    }

    @Test
    void timeline_hasALineForEachPoint() {
        List<String> lines =
                Timeline.lines(List.of(Recordings.recording(1), Recordings.recording(2)));

        assertThat(lines).hasSize(5);
        assertThat(lines.getFirst()).startsWith("round,ns,part,small,medium,room,live,");
        assertThat(lines.get(1)).startsWith("1,1,8,1,1,");
        assertThat(lines.getLast()).startsWith("2,4,16,4,").endsWith(",90");
    }
}
