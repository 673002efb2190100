package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What heaps tell JDK Flight Recorder when there is no room for copies. */
class HeapEventsTest extends HeapFixture {
    private static final String NAME = "io.polder.EvacuationCycle";

    /** No other heap of these tests has a number. */
    private static final int NUMBER = 7;

    @ParameterizedTest
    @MethodSource("io.polder.heap.space.HeapVariant#policies")
    void compact_everySecondCopyFails_isRecordedWithWhatStayed(HeapVariant variant)
            throws IOException {
        HeapSettings settings = variant.failingEvery(2).settings().withNumber(NUMBER);
        RelocatingHeap heap = heap(pages(512 * MIB), settings);
        long[] handles = objects(heap, 50_000, 100);
        thin(heap, handles, 16);
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable(NAME);
            recording.start();
            heap.compact();
            events = recorded(recording);
        }
        assertThat(events).hasSize((int) heap.stats().cycles());
        assertThat(events.stream().mapToLong(event -> event.getLong("copiesWithoutRoom")).sum())
                .isEqualTo(HeapCheck.counts(space(heap)).refusedCopies())
                .isPositive();
        assertThat(events)
                .allSatisfy(
                        event -> {
                            assertThat(event.getString("pool")).isNotNull();
                            assertThat(event.getInt("regions")).isPositive();
                        });
    }

    private static List<RecordedEvent> recorded(Recording recording) throws IOException {
        Path file = Files.createTempFile("polder", ".jfr");
        recording.dump(file);
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        Files.delete(file);
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(NAME))
                .filter(event -> event.getInt("heap") == NUMBER)
                .toList();
    }
}
