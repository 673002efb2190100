package io.polder.event;

import static org.assertj.core.api.Assertions.assertThat;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Events wait until the lock is free, and nothing is lost or changed by that. */
class EventHoldTest {
    @TempDir Path folder = Path.of("replaced by JUnit");

    private static void commit(String pool, long bytes) {
        CommitEvent event = Objects.requireNonNull(Events.commit());
        event.finish(pool, "chunks", bytes);
    }

    private List<Long> recorded(Recording recording, String pool) throws IOException {
        Path file = folder.resolve("events.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.hasField("pool") && pool.equals(event.getString("pool")))
                .map(EventHoldTest::bytes)
                .toList();
    }

    private static long bytes(RecordedEvent event) {
        return event.getLong("bytes");
    }

    @Test
    void commit_withinAHold_isRecordedWhenTheOutermostEnds() throws IOException {
        try (Recording recording = new Recording()) {
            recording.enable("io.polder.Commit").withoutThreshold().with("throttle", "off");
            recording.start();
            commit("held", 1);
            try (EventHold outer = EventHold.begin()) {
                assertThat(outer).isNotNull();
                commit("held", 2);
                try (EventHold inner = EventHold.begin()) {
                    assertThat(inner).isNull();
                    commit("held", 3);
                }
                assertThat(recorded(recording, "held")).containsExactly(1L);
            }
            commit("held", 4);
            assertThat(recorded(recording, "held")).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
        }
    }

    /** As after an error at the entry of its end: the thread goes on, and keeps so much at most. */
    @Test
    void commit_withinAHoldThatNeverEnds_keepsABoundedNumber() throws IOException {
        try (Recording recording = new Recording()) {
            recording.enable("io.polder.Commit").withoutThreshold().with("throttle", "off");
            recording.start();
            EventHold cutOff = Objects.requireNonNull(EventHold.begin());
            for (int i = 0; i < 5000; i++) {
                commit("kept", 1);
            }
            cutOff.close();
            assertThat(recorded(recording, "kept")).hasSize(1000);
        }
    }

    @Test
    void begin_ofAnEventThatNobodyRecords_isNull() {
        try (Recording recording = new Recording()) {
            recording.disable("io.polder.Commit");
            recording.disable("io.polder.Uncommit");
            recording.disable("io.polder.PageAllocation");
            recording.start();
            assertThat(Events.commit()).isNull();
            assertThat(Events.uncommit()).isNull();
            assertThat(Events.pageAllocation()).isNull();
        }
    }
}
