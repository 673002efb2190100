package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.experiments.pages.Latencies.Group;
import io.polder.lab.experiments.pages.Recording.Figure;

import org.junit.jupiter.api.Test;

import java.util.List;

class RecordingTest {
    @Test
    void figures_areThoseOfTheRun() {
        Recording recording = Recordings.recording(3);

        assertThat(recording.points()).hasSize(2);
        assertThat(recording.atEnd(Point.Value.NANOS)).isEqualTo(6);
        assertThat(recording.mapsAdded()).isEqualTo(30);
        assertThat(recording.committedOverLive()).isEqualTo(1.5);
        assertThat(recording.get(Figure.COLLECTIONS)).isZero();
        assertThat(recording.get(Figure.WAITS)).isEqualTo(3);
        assertThat(recording.latencies().all().getTotalCount()).isEqualTo(3);
        assertThat(recording.latencies().of(Group.UNDISTURBED).getTotalCount()).isEqualTo(2);
        assertThat(recording.latencies().of(Group.MUTATOR_MEDIUM).getMaxValue())
                .isBetween(6000L, 6006L);
    }

    @Test
    void rawData_hasALineForEachPoint() {
        List<String> lines =
                PagesExperiment.rawData(List.of(Recordings.recording(1), Recordings.recording(2)))
                        .lines();

        assertThat(lines).hasSize(5);
        assertThat(lines.getFirst()).startsWith("round,ns,part,small,medium,room,live,");
        assertThat(lines.get(1)).startsWith("1,1,8,1,1,");
        assertThat(lines.getLast()).startsWith("2,4,16,4,").endsWith(",90");
    }
}
