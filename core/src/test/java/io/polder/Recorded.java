package io.polder;

import jdk.jfr.EventSettings;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** A recording of some events of Polder, each of them, however short. */
final class Recorded implements AutoCloseable {
    private final Recording recording = new Recording();
    private final Set<String> names;

    /** Records from now on. */
    Recorded(String... events) {
        // Others are recorded as well, if that is what their annotations say.
        names = Set.of(events);
        for (String event : events) {
            EventSettings settings = recording.enable("io.polder." + event).withoutThreshold();
            settings.with("throttle", "off").with("period", "100 ms");
        }
        recording.start();
    }

    /** What was recorded so far, of one pool, of the events named; recording goes on. */
    List<RecordedEvent> ofPool(String name) {
        return all().stream()
                .filter(event -> event.hasField("pool") && name.equals(event.getString("pool")))
                .toList();
    }

    /** As it is given to the constructor. */
    static String name(RecordedEvent event) {
        return event.getEventType().getName().replace("io.polder.", "");
    }

    List<RecordedEvent> all() {
        try {
            Path file = Files.createTempFile("polder", ".jfr");
            recording.dump(file);
            List<RecordedEvent> events = RecordingFile.readAllEvents(file);
            Files.delete(file);
            return events.stream().filter(event -> names.contains(name(event))).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        recording.close();
    }
}
