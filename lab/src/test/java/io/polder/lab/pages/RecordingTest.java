package io.polder.lab.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.pages.Latencies.Group;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class RecordingTest {
    @Test
    void accept_allLines_isWhatWasWritten() {
        Recording recording = Recordings.recording(3);

        assertThat(recording.isComplete()).isTrue();
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
    void isComplete_withoutOneOfTheLines_isFalse() {
        List<String> lines = Recordings.lines(1);
        for (int left = 3; left < lines.size(); left++) {
            Recording recording = new Recording();
            for (int i = 0; i < lines.size(); i++) {
                if (i != left) {
                    recording.accept(lines.get(i));
                }
            }
            assertThat(recording.isComplete()).as(lines.get(left)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello",
                "point 1 2 3",
                "point x",
                "takes MUTATOR_SMALL",
                "takes NOBODY HIST",
                "takes MUTATOR_SMALL !",
                "value WAITS",
                "value WAITS many",
                "base"
            })
    void accept_somethingElse_isRefused(String line) {
        assertThatThrownBy(() -> new Recording().accept(line))
                .isInstanceOf(IllegalArgumentException.class);
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
