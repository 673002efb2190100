package io.polder.lab.experiments.fragmentation;

import io.polder.tools.html.MemoryMap.Span;

import java.util.List;

/** One of the {@linkplain ChunkSpace models}. */
final class ModelContender implements Contender {
    private static final String LEGEND =
            "X = 1 KiB, S = 2 KiB, M = 32 KiB, H = larger; upper case: in use, lower case: free\n";

    private final String id;
    private final String label;
    private final ChunkSpace space;

    ModelContender(String id, String label, ChunkSpace space) {
        this.id = id;
        this.label = label;
        this.space = space;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public Owner open() {
        return new ModelOwner(space);
    }

    @Override
    public String map() {
        return LEGEND + space.map();
    }

    @Override
    public List<Span> layout() {
        return space.layout();
    }

    /** Checks the model: whatever was measured on a broken one is worth nothing. */
    @Override
    public void close() {
        space.verify();
    }
}
