package io.polder.lab.experiments.fragmentation;

import io.polder.tools.html.MemoryMap.Span;

import java.util.List;

/**
 * A way to hand out the memory of a budget. Not thread-safe; closed by the code that created it.
 */
interface Contender extends AutoCloseable {
    /** Part of the metrics' names. */
    String id();

    /** For people. */
    String label();

    /** Creates an owner that has nothing yet. */
    Owner open();

    /** What has become of the space, one letter per chunk, in lines that fit a report. */
    String map();

    /** The same for a drawing: chunks by their addresses, and what was never cut. */
    List<Span> layout();

    @Override
    void close();
}
