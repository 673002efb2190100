package io.polder.lab.experiments.evacuation;

import io.polder.lab.report.Format;

/** Who keeps the values of the size-shift workload. */
enum ShiftContender {
    /** A heap of the library, with the settings it has by itself. */
    HEAP,
    /** The C library: each value is its own {@code malloc}, and stays where it is. */
    MALLOC;

    /** Name in tables and names of files. */
    String id() {
        return Format.id(this);
    }

    /** In front of its metrics. */
    String prefix() {
        return this == HEAP ? "heap." : "heap." + id() + ".";
    }

    /** A store of its own, in this process. */
    ValueStore open() {
        return switch (this) {
            case HEAP -> new HeapStore();
            case MALLOC -> new MallocStore();
        };
    }
}
